import http from 'node:http';

/**
 * Serves a program of the bench: prints its port, and ends with its standard input.
 *
 * @param handle of a request and its body as text; resolves with status and text of the answer
 */
export function serve(handle) {
  const server = http.createServer((req, res) => {
    const chunks = [];
    req.on('data', (chunk) => chunks.push(chunk));
    req.on('end', () => {
      handle(req, Buffer.concat(chunks).toString('utf8')).then(
        ([status, answer]) => {
          res.writeHead(status, {
            'content-type': 'application/scim+json',
            'content-length': Buffer.byteLength(answer),
          });
          res.end(answer);
        },
        (error) => {
          res.writeHead(500);
          res.end(String(error));
        },
      );
    });
  });
  // The parent process reads the port from standard output.
  server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
  process.stdin.resume();
  process.stdin.on('end', () => process.exit(0));
}
