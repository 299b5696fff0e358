// Sections, charts and tables of a report.
const data = JSON.parse(document.getElementById('data').textContent);
const main = document.getElementById('main');
const charts = [];
const {grouped, escaped, add, short, matcher, axis} = ui;
const kib = (bytes) => (bytes % 1024 ? `${bytes} B` : `${grouped(bytes / 1024)} KiB`);

const section = (title, note) => {
  const part = add('section', main);
  add('h2', part, {textContent: title});
  if (note) add('p', part, {className: 'note', textContent: note});
  return part;
};

// A chart that the keyboard reaches; `move(step)` is what the arrow keys do.
const addChart = (part, name, label, option, {tall = false, move = null} = {}) => {
  const box = add('div', part, {className: tall ? 'chart tall' : 'chart', id: `chart-${name}`, tabIndex: 0});
  box.setAttribute('role', 'img');
  box.setAttribute('aria-label', label);
  const chart = echarts.init(box);
  chart.setOption({animation: false, textStyle: {fontFamily: 'system-ui, sans-serif'}, ...option});
  if (move) {
    box.addEventListener('keydown', (event) => {
      const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
      if (step) {
        event.preventDefault();
        move(step);
      }
    });
  }
  charts.push({name, chart});
  return chart;
};

// Sorted by a column when its title is pressed: the most first, then the least, then as it was. The rows' elements, in the
// order that `rows` has.
const addTable = (part, columns, rows, choose) => {
  const scroll = add('div', part, {className: 'scroll'});
  const table = add('table', scroll);
  const head = add('tr', add('thead', table));
  const body = add('tbody', table);
  const heads = columns.map((column) => {
    const cell = add('th', head, {className: column.text ? 'text' : '', scope: 'col'});
    const button = add('button', cell, {type: 'button', className: 'sort', textContent: column.title});
    button.addEventListener('click', () => sort(column, cell));
    return cell;
  });
  const sort = (column, cell) => {
    const order = {descending: 'ascending', ascending: 'none'}[cell.getAttribute('aria-sort')] ?? 'descending';
    for (const other of heads) other.removeAttribute('aria-sort');
    const indices = rows.map((_, index) => index);
    if (order !== 'none') {
      cell.setAttribute('aria-sort', order);
      const value = (index) => (isNaN(rows[index][column.key]) ? rows[index][column.key] ?? '' : Number(rows[index][column.key]));
      indices.sort((a, b) => (order === 'ascending' ? 1 : -1) * (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0) || a - b);
    }
    body.append(...indices.map((index) => lines[index]));
  };
  const lines = rows.map((row, index) => {
    const line = add('tr', body, {tabIndex: 0});
    for (const column of columns) {
      const value = row[column.key];
      const text = value === null || value === undefined ? '' : typeof value === 'number' && !column.exact ? grouped(value) : String(value);
      add('td', line, {textContent: text, className: column.wrap ? 'text wrap' : column.text ? 'text' : ''});
    }
    line.addEventListener('focus', () => choose(index, false));
    line.addEventListener('click', () => choose(index, false));
    return line;
  });
  return lines;
};

// One row of a table is the chosen one; `mark(index)` shows it in the charts. Arrow keys walk through the rows as they are
// sorted and filtered. `rows` is what addTable gives.
const chooser = (mark) => {
  const self = {rows: []};
  let chosen = -1;
  self.choose = (index, scroll = true) => {
    if (index < 0 || index >= self.rows.length) return;
    if (chosen >= 0) self.rows[chosen].classList.remove('chosen');
    chosen = index;
    self.rows[chosen].classList.add('chosen');
    if (scroll) self.rows[chosen].scrollIntoView({block: 'nearest'});
    mark(index);
  };
  self.move = (step) => {
    const lines = [...self.rows[0].parentElement.rows].filter((row) => !row.hidden);
    const at = lines.indexOf(self.rows[chosen]);
    const next = lines[Math.max(0, Math.min(lines.length - 1, at + step))];
    if (next) self.choose(self.rows.indexOf(next));
  };
  return self;
};

// In the chart of that name, and nothing else there.
const highlight = (wanted, what) => {
  for (const {name, chart} of charts) {
    if (name !== wanted) continue;
    chart.dispatchAction({type: 'downplay'});
    if (what) chart.dispatchAction({type: 'highlight', ...what});
    if (what && what.tip) chart.dispatchAction({type: 'showTip', seriesIndex: 0, dataIndex: what.dataIndex});
  }
};

const slider = (axis) => [{type: 'inside', ...axis}, {type: 'slider', height: 18, bottom: 6, ...axis}];

const causes = [
  ['array_busy', 'array busy', '#2e7d32'],
  ['stall_weights', 'waits for weights', '#8e44ad'],
  ['stall_bank', 'bank conflict', '#c39bd3'],
  ['wait_load', 'waits for a load', '#e6a100'],
  ['wait_store', 'waits for a store', '#c0392b'],
  ['compute_other', 'start-up and drain', '#5dade2'],
];
const kindColours = {load: '#e6a100', compute: '#2e7d32', store: '#c0392b'};
const bankColours = {features: '#7fb77e', weights: '#b48ccf'};

// What colours mean, where a chart has no series of its own for them.
const addKey = (part, entries) => {
  const line = add('p', part, {className: 'key'});
  for (const [colour, text] of entries) {
    const entry = add('span', line);
    add('i', entry).style.background = colour;
    entry.append(text);
  }
};

const splitOf = (split) => {
  if (!split || split.channels * split.height * split.width <= 1) return '';
  return [split.channels > 1 ? `c${split.channels}` : '',
    split.height * split.width > 1 ? `${split.height}x${split.width}` : ''].filter(Boolean).join(' ');
};
