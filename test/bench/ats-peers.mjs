// Run as a process of its own: a simulator with many candidates, or a bare server that stores what it gets.
import http from 'node:http';
import pg from 'pg';
import { simulators } from '../support/simulators.mjs';

const [, , what, argument] = process.argv;

if (what === 'lever') {
  const { startLever } = await simulators();
  const lever = await startLever({ rateFactor: 100_000 });
  lever.fill(Number(argument));
  process.send({ url: lever.url, apiKey: lever.apiKey, posting: [...lever.postings.keys()][0] });
} else {
  // The least that does the job: a row for each body, one answer.
  const pool = new pg.Pool({ connectionString: argument, max: 16 });
  await pool.query(
    'create table bare_events (id bigserial primary key, at timestamptz not null default now(), body bytea not null)',
  );
  const server = http.createServer((req, res) => {
    const chunks = [];
    req.on('data', (chunk) => chunks.push(chunk));
    req.on('end', () => {
      const values = [Buffer.concat(chunks)];
      pool.query({ name: 'store', text: 'insert into bare_events (body) values ($1)', values }).then(
        () => res.writeHead(200).end(),
        (error) => res.writeHead(500).end(error.message),
      );
    });
  });
  server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}` }));
}
