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
  filter('network', 'lenet');
  filter('cbuf bytes', '8192..16384');
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
