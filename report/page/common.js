'use strict';
// What pages have in common.
const ui = (() => {
  const grouped = (value) => Math.round(value).toString().replace(/\B(?=(\d{3})+(?!\d))/g, '\u202f');
  const escaped = (text) => String(text).replace(/[&<>"]/g,
      (c) => ({'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'})[c]);
  const add = (tag, parent, properties = {}) => {
    const element = document.createElement(tag);
    Object.assign(element, properties);
    parent.appendChild(element);
    return element;
  };
  return {grouped, escaped, add};
})();
