// The least program that could serve a file: its bytes from memory, with the headers that say what they are.
import { readFileSync } from 'node:fs';
import http from 'node:http';

const [file, headers] = process.argv.slice(2);
const bytes = readFileSync(file);
const sent = { ...JSON.parse(headers), 'content-length': bytes.length };

const server = http.createServer((_, res) => res.writeHead(200, sent).end(bytes));
// The parent process reads the port from standard output.
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
process.stdin.resume();
process.stdin.on('end', () => process.exit(0));
