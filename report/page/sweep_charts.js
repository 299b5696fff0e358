// What the charts of a sweep show of some of its points.
const externalOf = (point) => point.external_read_bytes + point.external_write_bytes;

const sweepCharts = (sweep) => {
  const byIndex = new Map(sweep.points.map((point) => [point.point, point]));
  const CBUF = 'hardware.cbuf.size';
  // Keys with more than one value, in the order of the question; their values in its order.
  const varied = sweep.axes
      .map(({key, values}) => ({key, values: values.filter((value) => sweep.points.some((point) => point[key] === value))}))
      .filter(({values}) => values.length > 1);
  const settings = (point) => sweep.axes.map(({key}) => `${escaped(key)} = ${escaped(point[key])}`).join('<br>');
  const describe = (point) => `${settings(point)}<br>${grouped(point.cycles)} cycles` +
      (point.milliseconds ? `, ${point.milliseconds.toFixed(3)} ms` : '') + `<br>${grouped(externalOf(point))} external bytes`;
  const range = (values) => (values.length > 0 ? {min: Math.min(...values), max: Math.max(...values)} : {min: 0, max: 1});
  const good = (points) => points.filter((point) => point.status === 'ok');

  // Cycles over the buffer's size, a line for each setting of the other keys. Where they are many, each setting of some keys
  // has a chart of its own, those of a network with the same axes.
  const kLines = 8;
  const kCharts = 24;
  const others = varied.filter(({key}) => key !== CBUF);
  const setting = (key, values, value) => (
      key === 'network' || values.every((other) => isNaN(other)) ? value : `${key.replace(/^(hardware|memory|policy)\./, '')} ${value}`);
  const apart = [];  // keys whose values have charts of their own
  let facets = [{label: '', match: () => true}];
  for (const {key, values} of [...others].sort((a, b) => a.values.length - b.values.length)) {
    if (sweep.curves.length / facets.length <= kLines || facets.length * values.length > kCharts) break;
    apart.push(key);
    facets = facets.flatMap(({label, match}) => values.map((value) => (
      {label: `${label}${label && ', '}${setting(key, values, value)}`, match: (point) => match(point) && point[key] === value})));
  }
  const shortLabel = (point) => others.filter(({key}) => !apart.includes(key))
      .map(({key, values}) => setting(key, values, point[key])).join(', ') || 'cycles';
  const curves = (points, {label, match}) => {
    const seen = new Set(points.map((point) => point.point));
    const network = sweep.points.find(match).network;
    const all = good(points).filter((point) => !apart.includes('network') || point.network === network);
    const series = [];
    sweep.curves.forEach((curve) => {
      const own = curve.points.map((i) => byIndex.get(i)).filter((point) => seen.has(point.point));
      if (own.length === 0 || !match(own[0])) return;
      const changes = new Map();
      for (const {layer, modes} of curve.mode_changes) {
        modes.slice(1).forEach((mode, i) => {
          const list = changes.get(mode.from_cbuf_bytes) ?? [];
          list.push(`${escaped(layer)}: ${escaped(modes[i].mode)} \u2192 ${escaped(mode.mode)}`);
          changes.set(mode.from_cbuf_bytes, list);
        });
      }
      series.push({
        name: shortLabel(own[0]), type: 'line', color: palette[series.length % palette.length],
        data: own.map((point) => ({
          value: [point.cbuf_bytes / 1024, point.cycles],
          symbol: changes.has(point.cbuf_bytes) ? 'diamond' : 'circle',
          symbolSize: changes.has(point.cbuf_bytes) ? 12 : 6,
          text: `<b>${escaped(curve.label)}</b><br>${kib(point.cbuf_bytes)}: ${grouped(point.cycles)} cycles<br>` +
              (changes.get(point.cbuf_bytes) ?? []).slice(0, 12).join('<br>'),
        })),
      });
    });
    return {
      aria: {enabled: true},
      title: label ? {text: label, left: 8, top: 6, textStyle: {fontSize: 13, width: 400, overflow: 'truncate'}} : undefined,
      legend: {type: 'scroll', top: label ? 26 : 6, left: 8, right: 8, show: series.length > 1},
      grid: {left: 84, right: 24, top: label ? 56 : 40, bottom: 48},
      tooltip: {formatter: (item) => item.data.text},
      xAxis: axis(all.map((point) => point.cbuf_bytes / 1024), {name: 'cbuf KiB', nameLocation: 'middle', nameGap: 28,
        logBase: 2, at: all.map((point) => point.cbuf_bytes / 1024), format: (size) => String(Number(size.toFixed(2)))}),
      yAxis: axis(all.map((point) => point.cycles), {name: 'cycles', nameLocation: 'middle', nameGap: 58}),
      series,
    };
  };

  // Two keys: a field for each pair of values.
  const plane = varied.filter(({key}) => key !== 'network').sort((a, b) => b.values.length - a.values.length);
  const networks = [...new Set(sweep.points.map((point) => point.network ?? ''))];
  const heat = (points, network) => {
    const [across, up] = plane;
    const own = good(points).filter((point) => (point.network ?? '') === network);
    const cycles = own.map((point) => point.cycles);
    return {
      aria: {enabled: true},
      title: networks.length > 1 ? {text: network, left: 8, top: 6, textStyle: {fontSize: 13}} : undefined,
      grid: {left: 120, right: 110, top: 40, bottom: 56},
      tooltip: {formatter: (item) => describe(item.data.point)},
      xAxis: {type: 'category', data: across.values, name: across.key, nameLocation: 'middle', nameGap: 32},
      yAxis: {type: 'category', data: up.values, name: up.key, nameTextStyle: {align: 'left'}},
      visualMap: {...range(cycles), calculable: true, right: 8, top: 'middle', dimension: 2,
        formatter: short, inRange: {color: ['#f7fbff', '#9ecae1', '#2171b5', '#08306b']}},
      series: [{
        type: 'heatmap', name: network || 'cycles',
        label: {show: across.values.length <= 16, formatter: (item) => short(item.data.point.cycles)},
        data: own.map((point) => ({point, value: [across.values.indexOf(point[across.key]), up.values.indexOf(point[up.key]), point.cycles]})),
      }],
    };
  };

  // Three and more: a line for each point through all keys and figures.
  const lines = (points) => {
    const own = good(points);
    const cycles = own.map((point) => point.cycles);
    const bytes = own.map(externalOf);
    const figure = (values, name, dim) => {
      const {min, max} = axis(values, {name, log: false});
      return {dim, name, min: Math.max(0, min), max, axisLabel: {formatter: short, backgroundColor: 'rgba(255, 255, 255, 0.85)', padding: 2}};
    };
    return {
      aria: {enabled: true},
      parallel: {left: 70, right: 150, top: 40, bottom: 24, parallelAxisDefault: {nameLocation: 'end', nameTextStyle: {fontSize: 12}, z: 10,
        axisLabel: {backgroundColor: 'rgba(255, 255, 255, 0.85)', padding: 2}}},
      tooltip: {formatter: (item) => (item.data ? describe(item.data.point) : '')},
      visualMap: {show: true, ...range(cycles), dimension: varied.length, right: 8, top: 'middle',
        calculable: true, formatter: short, inRange: {color: ['#1a9850', '#e6a100', '#c0392b']}},
      parallelAxis: [
        ...varied.map(({key, values}, dim) => ({dim, name: key, type: 'category', data: values})),
        figure(cycles, 'cycles', varied.length), figure(bytes, 'external bytes', varied.length + 1),
      ],
      series: [{
        type: 'parallel', name: 'points', lineStyle: {width: 1.5, opacity: own.length > 100 ? 0.35 : 0.7}, emphasis: {lineStyle: {width: 4, opacity: 1}},
        data: own.map((point) => ({point, value: [...varied.map(({key}) => point[key]), point.cycles, externalOf(point)]})),
      }],
    };
  };

  const pareto = (points) => {
    const own = good(points);
    const largest = Math.max(1, ...own.map((point) => point.cbuf_bytes));
    return {
      aria: {enabled: true},
      grid: {left: 76, right: 40, top: 34, bottom: 50},
      tooltip: {formatter: (item) => item.data.text},
      xAxis: axis(own.map(externalOf), {name: 'external bytes', nameLocation: 'middle', nameGap: 28}),
      yAxis: axis(own.map((point) => point.cycles), {name: 'cycles', nameTextStyle: {align: 'right'}}),
      series: [{
        type: 'scatter', name: 'points',
        data: own.map((point) => ({
          value: [externalOf(point), point.cycles],
          symbolSize: 6 + 16 * Math.sqrt(point.cbuf_bytes / largest),
          itemStyle: point.pareto ? {color: '#1f5fbf'} : {color: 'transparent', borderColor: '#9aa5b1'},
          text: describe(point),
        })),
      }],
    };
  };

  const chip = (points) => ({
    aria: {enabled: true},
    grid: {left: 76, right: 40, top: 34, bottom: 50},
    tooltip: {formatter: (item) => item.data.text},
    xAxis: axis(good(points).map((point) => point.luts), {log: false, name: 'LUTs', nameLocation: 'middle', nameGap: 28}),
    yAxis: axis(good(points).map((point) => point.inferences_per_second), {log: false, name: 'inferences per second', nameTextStyle: {align: 'left'}}),
    series: [{
      type: 'scatter', name: 'points',
      data: good(points).map((point) => ({
        value: [point.luts, point.inferences_per_second],
        symbol: point.fits ? 'circle' : 'path://M0,0 L10,10 M10,0 L0,10',
        symbolSize: 10,
        itemStyle: point.pareto ? {color: '#1f5fbf'} : {color: 'transparent', borderColor: point.fits ? '#9aa5b1' : '#c0392b'},
        text: `${settings(point)}<br>${grouped(point.luts)} LUTs, ${point.mhz} MHz<br>` +
            `${point.inferences_per_second} inferences per second${point.fits ? '' : '<br>does not fit'}`,
      })),
    }],
  });

  return {CBUF, varied, facets, curves, plane, networks, heat, lines, pareto, chip, good};
};
