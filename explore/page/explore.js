(() => {
  const MOST_ROWS = 500;
  const byId = (id) => document.getElementById(id);
  const {grouped, escaped, add, short, matcher, axis} = ui;

  // What of a point is a figure, in the order of columns; those that no point has are left out.
  const FIGURES = [
    ['cycles', 'cycles'], ['ideal_cycles', 'ideal cycles'], ['array', 'array %'], ['external_bytes', 'external bytes'],
    ['milliseconds', 'ms'], ['cbuf_kib', 'cbuf KiB'], ['arena_kib', 'arena KiB'], ['energy_uj', 'energy, \u00b5J'], ['macs_per_cycle', 'MACs per cycle'],
    ['luts', 'LUTs'], ['brams', 'block RAMs'], ['dsps', 'DSPs'], ['mhz', 'MHz'], ['inferences_per_second', 'inferences per second'],
  ];
  const LANE_COLOURS = ['#e6a100', '#2e7d32', '#c0392b', '#5dade2', '#8e44ad'];
  const SIDES = {a: '#1f5fbf', b: '#b4540a'};

  let points = [];
  let keys = [];
  let figures = [];
  const charts = {};
  const chartOf = (id) => (charts[id] = charts[id] || echarts.init(byId(id)));

  // The page's state is its address.
  const state = new URLSearchParams(location.hash.slice(1));
  const remember = (name, value) => {
    if (value === '' || value === null) state.delete(name);
    else state.set(name, value);
    history.replaceState(null, '', `#${state}`);
  };

  const complain = (text) => {
    byId('problem').hidden = !text;
    byId('problem').textContent = text || '';
  };
  const ask = async (path) => {
    const answer = await fetch(path);
    const json = await answer.json();
    if (!answer.ok) throw new Error(json.error);
    return json;
  };

  // Filters -----------------------------------------------------------------------------------------

  const shown = () => {
    const tests = columns().filter((c) => state.get(`filter.${c.key}`)).map((c) => [c.key, matcher(state.get(`filter.${c.key}`))]);
    return points.filter((point) => tests.every(([key, test]) => test(point[key])));
  };

  // Points ------------------------------------------------------------------------------------------

  // Keys that differ come first, so that figures are on the first screen.
  const columns = () => [
    ...keys.map((key) => ({key, title: key, text: true})),
    ...(keys.includes('network') || networks().length < 2 ? [] : [{key: 'network', title: 'network', text: true}]),
    ...figures.map(([key, title]) => ({key, title})),
    {key: 'status', title: 'status', text: true}, {key: 'front', title: 'Pareto front', text: true},
  ];
  const networks = () => [...new Set(points.map((point) => point.network))];
  const textOf = (value) => (typeof value !== 'number' ? value ?? '' :
      Number.isInteger(value) ? grouped(value) : Math.abs(value) >= 1000 ? grouped(value) : String(Number(value.toPrecision(4))));

  // `sort=KEY` or `sort=-KEY`, the most first.
  const sorted = (rows) => {
    const wanted = state.get('sort');
    if (!wanted) return rows;
    const key = wanted.replace(/^-/, '');
    const sign = wanted.startsWith('-') ? -1 : 1;
    const value = (point) => (point[key] === null || point[key] === undefined ? '' : isNaN(point[key]) ? point[key] : Number(point[key]));
    return [...rows].sort((a, b) => sign * (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0));
  };

  const drawTable = (rows) => {
    const body = byId('table').tBodies[0];
    body.replaceChildren();
    for (const point of sorted(rows).slice(0, MOST_ROWS)) {
      const line = add('tr', body, {className: point.status === 'ok' ? '' : 'bad', title: point.error || ''});
      const cell = add('td', line, {className: 'text'});
      for (const side of ['a', 'b']) {
        const button = add('button', cell, {type: 'button', className: side, textContent: side.toUpperCase()});
        button.setAttribute('aria-pressed', state.get(side) === point.id);
        button.setAttribute('aria-label', `${side.toUpperCase()}: ${point.label}`);
        button.addEventListener('click', () => choose(side, state.get(side) === point.id ? null : point.id));
      }
      for (const column of columns()) {
        const text = textOf(point[column.key]);
        add('td', line, {className: column.text ? 'text' : '', textContent: text});
      }
    }
    byId('count').textContent = `${grouped(rows.length)} of ${grouped(points.length)} points` +
        (rows.length > MOST_ROWS ? `, the first ${MOST_ROWS} in the table` : '');
  };

  // What a point can be drawn by: a figure, or a key, whose values are numbers, sizes or names.
  const KEY = 'key:';
  const quantityOf = (choice) => {
    const figure = figures.find(([key]) => key === choice);
    if (figure) return {title: figure[1], value: (point) => point[choice], numeric: true};
    const key = choice.slice(KEY.length);
    const sizes = {B: 1 / 1024, KiB: 1, MiB: 1024};
    const number = (text) => {
      const size = String(text ?? '').match(/^([\d.]+) *(B|KiB|MiB)?$/);
      return size ? Number(size[1]) * (sizes[size[2]] ?? 1) : NaN;
    };
    const numeric = points.every((point) => point[key] === undefined || point[key] === '' || !isNaN(number(point[key])));
    const isSize = numeric && points.some((point) => /B$/.test(point[key] ?? ''));
    return {title: isSize ? `${key}, KiB` : key, isKey: true, value: (point) => (numeric ? number(point[key]) : point[key]), numeric};
  };
  const axisOf = (quantity, rows, log, more) => {
    const values = [...new Set(rows.map(quantity.value))];
    return quantity.numeric ?
        axis(values, {name: quantity.title, nameLocation: 'middle', log, at: values.length <= 12 && quantity.isKey ? values : null, ...more}) :
        {type: 'category', name: quantity.title, nameLocation: 'middle', data: values, ...more};
  };

  const drawScatter = (rows) => {
    const [across, up] = ['across', 'up'].map((id) => quantityOf(byId(id).value));
    const colour = byId('colour').value;
    const isThere = (value) => value !== null && value !== undefined && value !== '' && !Number.isNaN(value);
    const log = (id, quantity, all) => state.get(`${id}-log`) === '1' && quantity.numeric && all.every((point) => quantity.value(point) > 0);
    const good = rows.filter((p) => p.status === 'ok' && isThere(across.value(p)) && isThere(up.value(p)));
    const marked = ['a', 'b'].map((side) => [side, points.find((p) => p.id === state.get(side))])
        .filter(([, point]) => point && isThere(across.value(point)) && isThere(up.value(point)));
    const place = (point) => ({value: [across.value(point), up.value(point)], id: point.id, label_: point.label, point});
    const told = (quantity, point) => `${escaped(quantity.title)}: ${escaped(textOf(quantity.value(point)))}`;
    const by = colour === '' ? null : quantityOf(colour);
    const shaded = by && by.numeric && new Set(good.map(by.value)).size > 8;
    const groups = shaded || !by ? [['points', good]] : [...new Set(good.map(by.value))].map((value) => [value, good.filter((point) => by.value(point) === value)]);
    const shades = good.map((point) => (by ? by.value(point) : 0)).filter(isThere);
    chartOf('scatter').setOption({
      animation: false, aria: {enabled: true},
      legend: {type: 'scroll', top: 6, left: 8, right: 8, show: groups.length + marked.length > 1},
      grid: {left: 90, right: shaded ? 120 : 30, top: 44, bottom: 50},
      tooltip: {formatter: (item) => `<b>${escaped(item.data.label_)}</b><br>${told(across, item.data.point)}<br>${told(up, item.data.point)}` +
          (by ? `<br>${told(by, item.data.point)}` : '')},
      visualMap: shaded ? {min: Math.min(...shades), max: Math.max(...shades), dimension: 2, seriesIndex: 0, right: 8, top: 'middle', calculable: true,
        text: [by.title, ''], formatter: short, inRange: {color: ['#1a9850', '#e6a100', '#c0392b']}} : undefined,
      xAxis: axisOf(across, good, log('across', across, good), {nameGap: 30}),
      yAxis: axisOf(up, good, log('up', up, good), {nameGap: 62}),
      series: [
        ...groups.map(([name, group]) => ({
          name: by ? `${by.title} ${textOf(name)}` : 'points', type: 'scatter', symbolSize: 9,
          data: group.map((point) => (shaded ? {...place(point), value: [across.value(point), up.value(point), by.value(point)]} : place(point))),
        })),
        ...marked.map(([side, point]) => ({
          name: side.toUpperCase(), type: 'scatter', symbolSize: 20, z: 5,
          itemStyle: {color: 'transparent', borderColor: SIDES[side], borderWidth: 3},
          data: [place(point)],
        })),
      ],
    }, true);
  };

  const draw = () => {
    const rows = shown();
    drawTable(rows);
    drawScatter(rows);
  };

  // Layers ------------------------------------------------------------------------------------------

  const pointOf = (side) => points.find((point) => point.id === state.get(side));
  const change = (a, b) => (a && b ? `${b >= a ? '+' : ''}${(100 * (b - a) / a).toFixed(1)} %` : '');

  const paired = (a, b) => {
    // By name, and by turn where a name is there several times.
    const named = (layers) => {
      const count = {};
      return new Map(layers.map((layer) => {
        count[layer.name] = (count[layer.name] || 0) + 1;
        return [`${layer.name}\u0000${count[layer.name]}`, layer];
      }));
    };
    const [left, right] = [named(a), named(b)];
    return [...new Set([...left.keys(), ...right.keys()])].map((key) => [key.split('\u0000')[0], left.get(key), right.get(key)]);
  };

  let drawing = 0;
  const drawLayers = async () => {
    const mine = ++drawing;
    const [a, b] = [pointOf('a'), pointOf('b')];
    byId('layers').hidden = !a && !b;
    byId('timelines').hidden = true;
    if (!a && !b) return;
    const lists = await Promise.all([a, b].map((point) => (point ? ask(`api/layers?source=${point.source}&point=${point.point}`) : [])));
    if (mine !== drawing) return;
    const rows = paired(lists[0], lists[1]);
    const both = a && b;
    byId('layers-title').textContent = both ? 'Layers of A and B' : `Layers of ${a ? 'A' : 'B'}`;
    byId('layers-note').textContent = [a && `A: ${a.label}`, b && `B: ${b.label}`, both && `cycles ${change(a.cycles, b.cycles)}, external bytes ${change(a.external_bytes, b.external_bytes)}`]
        .filter(Boolean).join('; ');
    const sides = [['a', a, 1], ['b', b, 2]].filter(([, point]) => point);
    chartOf('difference').setOption({
      animation: false, aria: {enabled: true}, legend: {type: 'scroll', top: 6}, grid: {left: 80, right: 20, top: 40, bottom: 110},
      tooltip: {trigger: 'axis', axisPointer: {type: 'shadow'}},
      dataZoom: [{type: 'slider', height: 18, bottom: 6}],
      xAxis: {type: 'category', data: rows.map((row) => row[0]), axisLabel: {rotate: 45}},
      yAxis: {type: 'value', name: 'cycles', axisLabel: {formatter: grouped}},
      series: sides.map(([side, , index]) => ({name: side.toUpperCase(), type: 'bar', itemStyle: {color: SIDES[side]}, data: rows.map((row) => (row[index] ? row[index].cycles : 0))})),
    }, true);
    const table = byId('layer-table');
    table.replaceChildren();
    const head = add('tr', add('thead', table));
    const titles = [['layer', true], ['operator', true], ...sides.flatMap(([side]) => [[`mode ${side.toUpperCase()}`, true], [`cycles ${side.toUpperCase()}`], [`bytes ${side.toUpperCase()}`]]),
      ...(both ? [['cycles B - A'], ['bytes B - A']] : [])];
    for (const [title, text] of titles) add('th', head, {textContent: title, className: text ? 'text' : '', scope: 'col'});
    const body = add('tbody', table);
    for (const [name, left, right] of rows) {
      const line = add('tr', body, {tabIndex: 0, className: state.get('layer') === name ? 'chosen' : ''});
      add('td', line, {textContent: name, className: 'text'});
      add('td', line, {textContent: (left || right).op, className: 'text'});
      for (const [, , index] of sides) {
        const layer = index === 1 ? left : right;
        add('td', line, {textContent: layer ? layer.mode : '', className: 'text'});
        add('td', line, {textContent: layer ? grouped(layer.cycles) : ''});
        add('td', line, {textContent: layer ? grouped(layer.external_bytes) : ''});
      }
      if (both) {
        for (const key of ['cycles', 'external_bytes']) {
          const difference = left && right ? right[key] - left[key] : null;
          add('td', line, {textContent: difference === null ? '' : `${difference > 0 ? '+' : ''}${grouped(difference)}`,
            className: difference > 0 ? 'more' : difference < 0 ? 'less' : ''});
        }
      }
      const open = () => {
        remember('layer', name);
        for (const other of body.rows) other.classList.toggle('chosen', other === line);
        drawTimelines().catch((error) => complain(error.message));
      };
      line.addEventListener('click', open);
      line.addEventListener('keydown', (event) => event.key === 'Enter' && open());
    }
    if (state.get('layer')) await drawTimelines();
  };

  // Timelines ---------------------------------------------------------------------------------------

  const drawTimelines = async () => {
    const layer = state.get('layer');
    const sides = ['a', 'b'].filter((side) => pointOf(side));
    const list = byId('timeline-list');
    byId('timelines').hidden = false;
    byId('timelines-title').textContent = `Timeline of ${layer}`;
    list.replaceChildren();
    complain('');
    for (const side of sides) {
      const point = pointOf(side);
      add('p', list, {textContent: `${side.toUpperCase()}: ${point.label}`});
      let timeline;
      try {
        timeline = await ask(`api/timeline?source=${point.source}&point=${point.point}&layer=${encodeURIComponent(layer)}`);
      } catch (error) {
        add('p', list, {className: 'note', textContent: error.message});
        continue;
      }
      const box = add('div', list, {className: 'chart timeline', id: `timeline-${side}`, tabIndex: 0});
      box.setAttribute('role', 'img');
      box.setAttribute('aria-label', `Timeline of ${layer} in ${point.label}`);
      const chart = echarts.init(box);
      charts[`timeline-${side}`] = chart;
      chart.setOption({
        animation: false, aria: {enabled: true}, grid: {left: 90, right: 30, top: 10, bottom: 60},
        tooltip: {formatter: ({value}) => `<b>${escaped(value[4])}</b> ${escaped(value[5])}<br>cycles ${grouped(value[1])} to ${grouped(value[2])}` +
            (value[3] ? `<br>${grouped(value[3])} bytes` : '')},
        dataZoom: [{type: 'inside', filterMode: 'weakFilter'}, {type: 'slider', height: 18, bottom: 6, filterMode: 'weakFilter'}],
        xAxis: {type: 'value', min: timeline.begin, max: timeline.end, axisLabel: {formatter: grouped}},
        yAxis: {type: 'category', data: timeline.lanes, inverse: true},
        series: [{
          type: 'custom', encode: {x: [1, 2], y: 0}, data: timeline.slices,
          renderItem: (_, api) => {
            const [from, to] = [api.coord([api.value(1), api.value(0)]), api.coord([api.value(2), api.value(0)])];
            const height = api.size([0, 1])[1] * 0.7;
            const shape = echarts.graphic.clipRectByRect({x: from[0], y: from[1] - height / 2, width: Math.max(to[0] - from[0], 1), height},
                {x: 90, y: 0, width: api.getWidth() - 120, height: api.getHeight()});
            const own = api.value(5) === layer || api.value(0) > 2;
            return shape && {type: 'rect', shape, style: {fill: LANE_COLOURS[api.value(0)], opacity: own ? 1 : 0.3}};
          },
        }],
      });
      if (timeline.left_out) add('p', list, {className: 'note', textContent: `${grouped(timeline.left_out)} more are not drawn`});
    }
  };

  const choose = (side, id) => {
    remember(side, id);
    draw();
    drawLayers().catch((error) => complain(error.message));
  };

  // Start -------------------------------------------------------------------------------------------

  const start = async () => {
    const sources = await ask('api/sources');
    keys = [...new Set(sources.flatMap((source) => source.keys))];
    if (sources.length > 1) keys.unshift('file');
    points = sources.flatMap((source, index) => source.points.map((point) => ({
      ...point,
      source: index,
      id: `${index}.${point.point}`,
      file: source.name,
      external_bytes: point.external_read_bytes + point.external_write_bytes,
      cbuf_kib: point.cbuf_bytes / 1024,
      arena_kib: point.arena_bytes / 1024,
      energy_uj: point.energy_pj ? point.energy_pj / 1e6 : null,
      array: point.cycles ? 100 * point.ideal_cycles / point.cycles : null,
      front: point.pareto ? '*' : '',
    })));
    keys = keys.filter((key) => new Set(points.map((point) => point[key])).size > 1);
    figures = FIGURES.filter(([key]) => points.some((point) => typeof point[key] === 'number'));
    byId('summary').textContent = sources.map((source) => `${source.name}: ${source.kind === 'run' ? 'a run' : `${grouped(source.points.length)} points`}`).join('; ');
    const table = byId('table');
    const head = add('tr', add('thead', table));
    add('th', head, {textContent: 'compare', className: 'text', scope: 'col'});
    const tell = () => {
      for (const other of head.cells) other.removeAttribute('aria-sort');
      for (const [index, {key}] of columns().entries()) {
        const order = {[key]: 'ascending', [`-${key}`]: 'descending'}[state.get('sort')];
        if (order) head.cells[index + 1].setAttribute('aria-sort', order);
      }
    };
    for (const column of columns()) {
      const cell = add('th', head, {className: column.text ? 'text' : '', scope: 'col'});
      const button = add('button', cell, {type: 'button', className: 'sort', textContent: column.title});
      button.addEventListener('click', () => {
        remember('sort', {[`-${column.key}`]: column.key, [column.key]: ''}[state.get('sort')] ?? `-${column.key}`);
        tell();
        draw();
      });
      const input = add('input', cell, {type: 'search', value: state.get(`filter.${column.key}`) || ''});
      input.setAttribute('aria-label', `filter of ${column.title}`);
      input.addEventListener('input', () => {
        remember(`filter.${column.key}`, input.value);
        draw();
      });
    }
    tell();
    add('tbody', table);
    const choices = [...figures, ...keys.map((key) => [KEY + key, key])];
    const many = networks().length > 1;
    if (many && !keys.includes('network')) choices.push([`${KEY}network`, 'network']);
    for (const [id, fallback] of [['across', 'cbuf_kib'], ['up', 'cycles'], ['colour', many ? `${KEY}network` : '']]) {
      const select = byId(id);
      if (id === 'colour') add('option', select, {value: '', textContent: 'all alike'});
      for (const [key, title] of choices) add('option', select, {value: key, textContent: title});
      const wanted = state.get(id);
      select.value = wanted !== null && [...select.options].some((option) => option.value === wanted) ? wanted : fallback;
      select.addEventListener('change', () => {
        remember(id, select.value);
        draw();
      });
    }
    for (const id of ['across-log', 'up-log']) {
      const box = byId(id);
      box.checked = state.get(id) === '1';
      box.addEventListener('change', () => {
        remember(id, box.checked ? '1' : '');
        draw();
      });
    }
    chartOf('scatter').on('click', (event) => choose(state.get('a') && !state.get('b') ? 'b' : 'a', event.data.id));
    draw();
    await drawLayers();
  };

  window.addEventListener('resize', () => Object.values(charts).forEach((chart) => chart.resize()));
  start().catch((error) => complain(error.message)).finally(() => document.body.setAttribute('data-drawn', 'yes'));
})();
