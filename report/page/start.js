// Draws what the page is about.
({run: drawRun, sweep: drawSweep, design: drawDesign, fit: drawFit, comparison: drawComparison})[data.kind]();
const resize = () => charts.forEach(({chart}) => chart.resize());
window.addEventListener('resize', resize);
window.addEventListener('beforeprint', resize);
window.addEventListener('afterprint', resize);
window.tesseraCharts = charts;
