import { runCli } from './cli/program.js';

process.exitCode = await runCli(process.argv.slice(2), process.env, {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  width: process.stdout.isTTY ? process.stdout.columns : undefined,
});
