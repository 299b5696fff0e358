// Of a design on an FPGA.

const drawDesign = () => {
  const design = data.design;
  const hardware = design.hardware;
  const resources = [['LUTs', 'luts'], ['flip-flops', 'ffs'], ['block RAMs', 'brams'], ['multipliers', 'dsps']]
      .map(([name, key]) => ({name, used: design[key], available: design[`${key}_available`]}));
  document.getElementById('title').textContent =
      `${hardware.name} on ${design.board ? `${design.board} (${design.part})` : design.part}`;
  document.getElementById('summary').textContent =
      `${hardware.AtomicC} x ${hardware.AtomicK} MACs, ${grouped(design.luts)} LUTs` +
      (design.fmax_mhz === null ?
          (design.promised_mhz == null ? ', not placed' : `, not routed, ${design.promised_mhz.toFixed(1)} MHz promised`) : `, ${design.fmax_mhz.toFixed(1)} MHz`) +
      (design.clock_mhz ? ` reached, its clock has ${design.clock_mhz} MHz` : '') +
      (design.network === undefined ? '' : `; ${design.network}: ${grouped(design.cycles)} cycles` +
          (design.inferences_per_second === null ? '' : `, ${design.inferences_per_second.toFixed(1)} inferences per second`)) +
      `; ${Object.entries(design.tools).map(([tool, version]) => `${tool} ${version.match(/\d+\.\d+[.\d]*/) ?? version}`).join(', ')}`;

  const modules = design.modules.map((module) => ({...module, module: module.module || '(top)'}));
  const choice = chooser((index) => highlight('modules', {seriesIndex: 0, name: modules[index].module}));

  const part = section('What it takes of the part', design.missing ?? '');
  const share = (resource) => (resource.available ? 100 * resource.used / resource.available : 0);
  addChart(part, 'resources', 'Bars: share of each resource of the part', {
    aria: {enabled: true},
    grid: {left: 110, right: 150, top: 20, bottom: 50},
    tooltip: {},
    xAxis: {type: 'value', max: ({max}) => 50 * Math.ceil(Math.max(100, max) / 50), name: '%', nameLocation: 'middle', nameGap: 28},
    yAxis: {type: 'category', inverse: true, data: resources.map((resource) => resource.name)},
    series: [{
      type: 'bar', name: 'share', color: '#1f5fbf',
      data: resources.map((resource) => Number(share(resource).toFixed(1))),
      label: {show: true, position: 'right', formatter: (item) => {
        const {used, available} = resources[item.dataIndex];
        return `${grouped(used)} of ${grouped(available)}`;
      }},
    }],
  }, {move: choice.move});

  const area = section('Lookup tables by module', 'Cells after synthesis, by the instance that they belong to.');
  addChart(area, 'modules', 'Treemap: lookup tables by module', {
    aria: {enabled: true},
    color: palette,
    tooltip: {formatter: (item) => (item.data.text ? item.data.text : '')},
    series: [{
      type: 'treemap', name: 'modules', roam: false, nodeClick: false, breadcrumb: {show: false},
      top: 8, bottom: 8, left: 8, right: 8,
      label: {lineHeight: 16, formatter: (item) => `${item.name}\n${grouped(item.value)}`},
      data: modules.filter((module) => module.luts > 0).map((module) => ({
        name: module.module, value: module.luts,
        text: `<b>${escaped(module.module)}</b><br>${grouped(module.luts)} LUTs, ${grouped(module.ffs)} flip-flops<br>` +
            `${module.brams} block RAMs, ${module.dsps} multipliers`,
      })),
    }],
  }, {tall: true, move: choice.move});
  choice.rows = addTable(area, [
    {key: 'module', title: 'module', text: true}, {key: 'luts', title: 'LUTs'}, {key: 'ffs', title: 'flip-flops'},
    {key: 'brams', title: 'block RAMs'}, {key: 'dsps', title: 'multipliers'},
  ], modules, choice.choose);

  if (design.critical_path.length === 0) return;
  const path = [];
  for (const step of design.critical_path) {
    const module = step.module || '(top)';
    if (path.length === 0 || path[path.length - 1].module !== module) path.push({module, logic: 0, routing: 0});
    path[path.length - 1][step.what === 'routing' ? 'routing' : 'logic'] += step.ns;
  }
  const total = design.critical_path.reduce((sum, step) => sum + step.ns, 0);
  const critical = section(
    design.fmax_mhz === null ? 'Longest path before routing' : 'Critical path',
    `From register to register, ${total.toFixed(2)} ns, by the modules that it goes through.`);
  addChart(critical, 'path', 'Stacked bars: nanoseconds of the critical path by module, in its order', {
    aria: {enabled: true},
    legend: {type: 'scroll', top: 4},
    grid: {left: 240, right: 40, top: 40, bottom: 50},
    tooltip: {trigger: 'axis', axisPointer: {type: 'shadow'}},
    xAxis: {type: 'value', name: 'ns', nameLocation: 'middle', nameGap: 28},
    yAxis: {type: 'category', inverse: true, data: path.map((step, index) => `${index + 1} ${step.module}`)},
    series: [['logic', '#1f5fbf'], ['routing', '#9aa5b1']].map(([name, color]) => ({
      type: 'bar', stack: 'ns', name, color, data: path.map((step) => Number(step[name].toFixed(3))),
    })),
  });
};
