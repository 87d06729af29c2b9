// The least program that gives access tokens: a client is found by the hash of its secret, or by the signature of its
// assertion, and the token is one row.
import { createHash, createPublicKey, randomBytes } from 'node:crypto';
import { jwtVerify } from 'jose';
import pg from 'pg';
import { serve } from './serve.mjs';

const [url, key] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: url, max: 16 });
const publicKey = createPublicKey({ key: JSON.parse(key), format: 'jwk' });
const hash = (text) => createHash('sha256').update(text).digest();

await pool.query(`
  create table clients (id text primary key, hash bytea);
  create table tokens (hash bytea primary key, client text not null, expires_at timestamptz not null);
  insert into clients values ('client', decode('${hash('secret').toString('hex')}', 'hex'))`);
const FIND = 'select id from clients where id = $1 and hash = $2';
const KNOWN = 'select id from clients where id = $1';
const INSERT = `insert into tokens values ($1, $2, now() + interval '1 hour')`;

async function clientOf(form) {
  const assertion = form.get('client_assertion');
  const id = form.get('client_id');
  if (assertion === null) {
    return (await pool.query({ name: 'find', text: FIND, values: [id, hash(form.get('client_secret'))] })).rows[0];
  }
  await jwtVerify(assertion, publicKey, { issuer: 'client', subject: 'client' });
  return (await pool.query({ name: 'known', text: KNOWN, values: [id] })).rows[0];
}

serve(async (_, body) => {
  const client = await clientOf(new URLSearchParams(body));
  if (client === undefined) return [401, '{"error":"invalid_client"}'];
  const token = randomBytes(32).toString('base64url');
  await pool.query({ name: 'insert', text: INSERT, values: [hash(token), client.id] });
  return [200, JSON.stringify({ access_token: token, token_type: 'Bearer', expires_in: 3600 })];
});
