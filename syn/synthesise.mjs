// Open synthesis of one hardware variant with Yosys (npm package @yowasp/yosys).
// usage: node synthesise.mjs RTL_DIR TARGET PARAM=VALUE ...    TARGET: ice40 | ecp5
// Prints cell counts; fails on latches, on memories that did not map to block or distributed RAM as
// the design means them to, and on anything Yosys warns about or cannot synthesise.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [rtl, target, ...parameters] = process.argv.slice(2);
if (!rtl || !['ice40', 'ecp5'].includes(target)) {
  console.error('usage: node synthesise.mjs RTL_DIR ice40|ecp5 [PARAM=VALUE ...]');
  process.exit(2);
}
const resolve = createRequire(join(process.env.TESSERA_NODE_MODULES ?? process.cwd(), 'x.js'));
const { runYosys } = await import(pathToFileURL(
  join(resolve.resolve.paths('@yowasp/yosys')[0], '@yowasp/yosys/gen/bundle.js')));

const files = readFileSync(join(rtl, 'files.f'), 'utf8').split('\n').filter((line) => line);
const tree = {};
for (const file of files) {
  tree[file.replaceAll('/', '_')] = readFileSync(join(rtl, file));
}
const chparams = parameters.map((p) => `-set ${p.replace('=', ' ')}`).join(' ');
const script = [
  `read_verilog -sv ${Object.keys(tree).join(' ')}`,
  chparams ? `chparam ${chparams} tessera_npu` : '',
  'hierarchy -check -top tessera_npu',
  'proc',
  'select -assert-none t:$dlatch t:$_DLATCH_*',
  `synth_${target} -top tessera_npu`,
  'check -noinit',
  'select -assert-none t:$_DLATCH_* t:SB_LATCH t:$dlatch',
  'tee -q -o stat.json stat -json',
].filter((line) => line).join('; ');

function fail(text) {
  console.error(`${target}: ${text}`);
  process.exit(1);
}

let log = '';
const sink = (bytes) => { if (bytes) log += new TextDecoder().decode(bytes); };
let out;
try {
  out = await runYosys(['-p', script], tree, { stdout: sink, stderr: sink });
} catch (error) {
  console.error(log.split('\n').slice(-12).join('\n'));
  console.error(`synthesis for ${target} failed: ${error.message}`);
  process.exit(1);
}
// Every memory must map as the design means it to: buffers to block RAM, FIFOs of a few words to anything.
const blockRam = /RAM4K|DP16KD|PDPW16KD/;
const expected = { bank: 0, half: 0, lane: 0, words: 0, table: 0 };
for (const [, name, how] of log.matchAll(/^(?:using \S+ mapping for|mapping) memory tessera_npu\.(\S+)(.*)$/gm)) {
  const buffer = /u_(bank|half|lane|words|table)\.mem$/.exec(name);
  if (buffer) {
    expected[buffer[1]] += 1;
    if (!blockRam.test(how)) fail(`${name} is no block RAM:${how}`);
  } else if (!/u_(queue|jobs|buffer|bursts|transfers)\.mem$|proc_rom/.test(name)) {
    fail(`${name}: a memory that nobody meant to infer`);
  }
}
for (const [name, found] of Object.entries(expected)) {
  if (found === 0) fail(`no memory u_${name} was found`);
}
const warnings = [...new Set(log.split('\n').filter((line) => line.startsWith('Warning:')))];
const cells = JSON.parse(out['stat.json']).design.num_cells_by_type;
const count = (...names) => names.reduce((sum, name) => sum + (cells[name] ?? 0), 0);
const figures = target === 'ice40'
  ? { LUT: count('SB_LUT4'), FF: Object.keys(cells).filter((c) => c.startsWith('SB_DFF'))
        .reduce((sum, c) => sum + cells[c], 0), BRAM: count('SB_RAM40_4K'), DSP: count('SB_MAC16') }
  : { LUT: count('LUT4'), FF: count('TRELLIS_FF'), BRAM: count('DP16KD', 'PDPW16KD'),
      DSP: count('MULT18X18D'), LUTRAM: count('TRELLIS_DPR16X4') };
console.log(`${target}: ` + Object.entries(figures).map(([k, v]) => `${k} ${v}`).join(', '));
for (const warning of warnings) console.log(warning);
if (process.env.TESSERA_YOSYS_LOG) {
  (await import('node:fs')).writeFileSync(process.env.TESSERA_YOSYS_LOG, log);
}
