import http from 'node:http';

// The cheapest platform there can be: it answers every call of the users API and stores nothing.
let mode = 'up';
let count = 0;
const server = http.createServer((req, res) => {
  if (mode === 'down') return void req.socket.destroy();
  req.resume();
  req.on('end', () => {
    if (mode === 'hang') return;
    count++;
    const body = req.method === 'DELETE' ? '' : `{"id":"hp_${count}"}`;
    res.writeHead(req.method === 'POST' ? 201 : body === '' ? 204 : 200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    });
    res.end(body);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
process.on('message', (message) => {
  if (message.mode) mode = message.mode;
  if (message.ask === 'count') process.send({ count });
});
process.on('disconnect', () => process.exit(0));
