// Runs every model under a folder with ONNX Runtime: node onnxruntime.mjs FOLDER
// FOLDER/*/model.onnx, input.bin and input.json ({type, dims}) give output.bin.
import fs from 'fs';
import {createRequire} from 'module';
import path from 'path';

const require = createRequire(path.join(process.env.TESSERA_NODE_MODULES, 'node_modules', 'x.js'));
const ort = require('onnxruntime-node');
const arrays = {
  uint8: Uint8Array,
  int8: Int8Array
};

for (const name of fs.readdirSync(process.argv[2]).sort()) {
  const dir = path.join(process.argv[2], name);
  const {type, dims} = JSON.parse(fs.readFileSync(path.join(dir, 'input.json'), 'utf8'));
  const bytes = fs.readFileSync(path.join(dir, 'input.bin'));
  const data = new arrays[type](bytes.buffer, bytes.byteOffset, bytes.length);
  // Without optimisation every operator runs as the model has it.
  const options = {graphOptimizationLevel: 'disabled', logSeverityLevel: 3};
  const session = await ort.InferenceSession.create(path.join(dir, 'model.onnx'), options);
  const results = await session.run({x: new ort.Tensor(type, data, dims)});
  const out = results.y.data;
  fs.writeFileSync(
      path.join(dir, 'output.bin'), Buffer.from(out.buffer, out.byteOffset, out.byteLength));
  fs.writeFileSync(path.join(dir, 'output.json'), JSON.stringify({dims: results.y.dims}));
}
