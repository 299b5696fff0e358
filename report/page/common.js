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

  // Three digits and a unit: 52.4 k, 1.2 M.
  const short = (value) => {
    const [unit, scale] = [['G', 1e9], ['M', 1e6], ['k', 1e3]].find(([, least]) => Math.abs(value) >= least) ?? ['', 1];
    return `${Number((value / scale).toPrecision(3))}${unit && `\u202f${unit}`}`;
  };

  // Filters: text, or numbers as `<1e6`, `>=64`, `16..64`.
  const numeric = (text) => (/^[-+]?[\d.]+(e[-+]?\d+)?$/i.test(text) ? Number(text) : NaN);
  const matcher = (text) => {
    const range = text.match(/^\s*(\S+?)\.\.(\S+)\s*$/);
    if (range && !isNaN(numeric(range[1])) && !isNaN(numeric(range[2]))) {
      return (value) => value >= numeric(range[1]) && value <= numeric(range[2]);
    }
    const bound = text.match(/^\s*(<=|>=|<|>|=)\s*(\S+)\s*$/);
    if (bound && !isNaN(numeric(bound[2]))) {
      const limit = numeric(bound[2]);
      return {'<': (v) => v < limit, '<=': (v) => v <= limit, '>': (v) => v > limit, '>=': (v) => v >= limit,
        '=': (v) => Number(v) === limit}[bound[1]];
    }
    return (value) => String(value ?? '').toLowerCase().includes(text.trim().toLowerCase());
  };

  // Round values between two, with a factor of 2 or so between them where there are powers of ten to go through, at most
  // `most`.
  const roundValues = (least, largest, log, most = 10) => {
    if (log && largest / least >= 8) {
      const all = [];
      for (let power = Math.floor(Math.log10(least)); power <= Math.ceil(Math.log10(largest)); ++power) {
        for (const digit of [1, 2, 5]) all.push(digit * 10 ** power);
      }
      const within = all.filter((value) => value >= least && value <= largest);
      return within.length <= most ? within : within.filter((value) => /^1/.test(value.toExponential()));
    }
    const raw = (largest - least) / 5 || 1;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((digit) => digit * power).find((value) => value >= raw);
    const values = [];
    for (let value = Math.ceil(least / step) * step; value <= largest * (1 + 1e-9); value += step) values.push(value);
    return values;
  };

  // An axis over these values, with a little room on both sides. `at`: where labels are, such as the values themselves;
  // otherwise at round ones.
  const axis = (values, {name, log = true, format = short, at = null, logBase = 10, ...more}) => {
    const known = values.filter((value) => Number.isFinite(value) && (!log || value > 0));
    const [least, largest] = known.length > 0 ? [Math.min(...known), Math.max(...known)] : [1, 10];
    const room = log ? Math.max(1.03, (largest / least) ** 0.04) : 1;
    const spread = log ? 0 : Math.max((largest - least) * 0.05, Math.abs(largest) * 0.01, 1e-9);
    const min = log ? least / room : least - spread;
    const max = log ? largest * room : largest + spread;
    const labels = at ? thinned([...new Set(at)].sort((a, b) => a - b), 12) : roundValues(min, max, log);
    return {
      type: log ? 'log' : 'value', logBase: log ? logBase : undefined, min, max, name,
      axisLabel: {formatter: format, customValues: labels, hideOverlap: true}, axisTick: {customValues: labels},
      minorTick: {show: false}, ...more,
    };
  };
  const thinned = (values, most) => {
    const every = Math.ceil(values.length / most);
    return values.filter((_, index) => index % every === 0);
  };

  return {grouped, escaped, add, short, matcher, axis};
})();
