import { text } from 'node:stream/consumers';
import { withSecretFiles } from '../base/config/secret-files.js';
import { runCli } from './program.js';

// `changes list | head` closes the pipe before the output ends: the reader has what it wants.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

// A file that this user cannot read counts as absent: the command says what it lacks.
process.exitCode = await runCli(process.argv.slice(2), withSecretFiles(process.env).env, {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  width: process.stdout.isTTY ? process.stdout.columns : undefined,
  liveWidth: process.stderr.isTTY ? process.stderr.columns : undefined,
  input: () => text(process.stdin),
  onInterrupt: (act) => {
    process.once('SIGINT', act);
    return () => process.off('SIGINT', act);
  },
});
