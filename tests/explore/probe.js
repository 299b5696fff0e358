// Appended to the page's script by the test: does what a user does, and writes down what comes of it.
(async () => {
  const until = async (holds) => {
    for (let i = 0; i < 200 && !holds(); ++i) await new Promise((resolve) => setTimeout(resolve, 25));
    return holds();
  };
  const text = (selector) => [...document.querySelectorAll(selector)].map((element) => element.textContent);
  const found = {};
  await until(() => document.body.dataset.drawn);
  found.rows = text('#table tbody tr').length;
  found.columns = text('#table thead th');
  const filter = (column, value) => {
    const input = document.querySelector(`input[aria-label="filter of ${column}"]`);
    input.value = value;
    input.dispatchEvent(new Event('input'));
  };
  // A title sorts; points are drawn by a key that was swept, in another's colours.
  const title = (name) => [...document.querySelectorAll('#table thead button')].find((button) => button.textContent === name);
  const cells = (name) => {
    const index = found.columns.indexOf(name);
    return [...document.querySelectorAll('#table tbody tr')].map((row) => row.cells[index].textContent.replace(/\u202f/g, ''));
  };
  title('cycles').click();
  found.descending = cells('cycles');
  title('cycles').click();
  found.ascending = cells('cycles');
  const select = (id, value) => {
    document.getElementById(id).value = value;
    document.getElementById(id).dispatchEvent(new Event('change'));
  };
  select('across', 'key:hardware.cbuf.size');
  select('colour', 'key:hardware');
  const option = echarts.getInstanceByDom(document.getElementById('scatter')).getOption();
  found.scatter = {across: option.xAxis[0].name, up: option.yAxis[0].name,
    series: option.series.map(({name, data}) => [name, data.map(({value}) => value)])};
  filter('network', 'lenet');
  filter('cbuf KiB', '8..16');
  found.filtered = text('#table tbody tr').map((_, i) => document.querySelectorAll('#table tbody tr')[i].cells[3].textContent);
  found.count = document.getElementById('count').textContent;
  document.querySelectorAll('#table tbody tr button.a')[0].click();
  document.querySelectorAll('#table tbody tr button.b')[1].click();
  await until(() => document.querySelectorAll('#layer-table tbody tr').length > 0 && text('#layer-table thead th').length > 8);
  found.layers = [...document.querySelectorAll('#layer-table tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent));
  document.querySelector('#layer-table tbody tr').click();
  await until(() => document.querySelectorAll('#timeline-list canvas').length === 2);
  found.canvases = document.querySelectorAll('canvas').length;
  // Something is drawn: more than one colour on each.
  found.drawn = [...document.querySelectorAll('canvas')].map((canvas) => {
    const pixels = new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer);
    return new Set(pixels).size;
  });
  found.hash = location.hash;
  found.problem = document.getElementById('problem').textContent;
  const result = document.createElement('pre');
  result.id = 'probe';
  result.textContent = JSON.stringify(found);
  document.body.appendChild(result);
})();
