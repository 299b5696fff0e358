'use strict';
// Says what a browser shows of a report: read by the test from the page's DOM.
(() => {
  const finish = () => {
    const found = {charts: {}, rows: [], focusable: 0, chosen: null, external: [], lanes: window.tesseraLanes,
      opened: performance.now()};
    for (const {name, chart} of window.tesseraCharts) {
      chart.getZr().flush();
      const canvas = chart.getDom().querySelector('canvas');
      const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
      const colours = new Set();
      for (let i = 0; i < pixels.length; i += 4) {
        if (pixels[i + 3] > 0) colours.add(pixels[i] << 16 | pixels[i + 1] << 8 | pixels[i + 2]);
      }
      const series = chart.getOption().series.map((s) => ({
        name: s.name,
        data: s.data.map((d) => (typeof d === 'object' && d !== null && 'value' in d ? d.value : d)),
      }));
      found.charts[name] = {colours: colours.size, series, label: chart.getDom().getAttribute('aria-label')};
    }
    for (const row of document.querySelectorAll('tbody tr')) {
      found.rows.push([...row.children].map((cell) => cell.textContent.replace(/\u202f/g, '')));
    }
    found.focusable = document.querySelectorAll('[tabindex="0"]').length;
    // The keyboard: a row is chosen by focus, the next one by an arrow in a chart.
    const rows = [...document.querySelectorAll('tbody tr')];
    rows[0].focus();
    const chart = document.querySelector('.chart');
    chart.focus();
    chart.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}));
    found.chosen = [...document.querySelectorAll('tr.chosen')].map((row) => row.children[0].textContent);
    for (const element of document.querySelectorAll('[src], [href]')) found.external.push(element.outerHTML.slice(0, 200));
    // A sweep's filters: without the first value of the first key, and the most cycles first.
    const filter = document.querySelector('.filters button');
    if (filter) {
      filter.click();
      const table = [...document.querySelectorAll('table')].pop();
      const sort = [...table.querySelectorAll('button.sort')].find((button) => button.textContent === 'cycles');
      const column = [...table.querySelectorAll('th')].indexOf(sort.closest('th'));
      sort.click();
      const shown = [...table.tBodies[0].rows].filter((row) => !row.hidden);
      found.filtered = {
        without: filter.textContent, count: document.getElementById('count').textContent,
        cycles: shown.map((row) => Number(row.cells[column].textContent.replace(/\u202f/g, ''))),
        drawn: window.tesseraCharts.map(({name, chart}) => [name, chart.getOption().series.reduce((sum, s) => sum + s.data.length, 0)]),
      };
    }
    found.head = ['title', 'summary'].map((id) => document.getElementById(id)?.textContent ?? '');
    window.dispatchEvent(new Event('beforeprint'));
    const text = document.createElement('pre');
    text.id = 'probe';
    text.textContent = btoa(unescape(encodeURIComponent(JSON.stringify(found))));
    document.body.appendChild(text);
  };
  finish();
})();
