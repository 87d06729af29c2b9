// A consumer of the feed, as an integrator writes it: its position is the last whole line of its file. It is killed at any moment.
import { appendFileSync, readFileSync, truncateSync } from 'node:fs';

const [url, key, file] = process.argv.slice(2);

/** Returns the last id that was processed; half a line is what a kill has left. */
function position() {
  const text = readFileSync(file, 'utf8');
  const end = text.lastIndexOf('\n') + 1;
  truncateSync(file, end);
  return text.slice(0, end).trimEnd().split('\n').at(-1) ?? '';
}

let after = position();
for (;;) {
  const answer = await fetch(`${url}/api/v1/events?limit=20&after=${after}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const { data, next_after: next } = await answer.json();
  for (const { id } of data) appendFileSync(file, `${id}\n`);
  after = data.at(-1)?.id ?? next ?? '';
}
