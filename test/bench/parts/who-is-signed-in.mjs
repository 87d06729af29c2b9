import { mintToken } from '../../../dist/base/crypto/tokens.js';
import { scaled } from '../contenders.mjs';

/** Who is signed in: asked of the database each time, so that out means out. */
export async function whoIsSignedIn(contenders, { db, tenant }, ids) {
  await db.query(
    `insert into connections (tenant_id, id, slug, name, type, enabled, settings) values ($1, 'con_bench', 'bench', 'b', 'oidc', true, '{}')`,
    [tenant],
  );
  await db.query(`update users set status = 'active' where tenant_id = $1`, [tenant]);
  const cookies = [];
  for (let i = 0; i < 1_000; i++) {
    const { token: secret, hash } = mintToken('tbn', tenant);
    cookies.push(`__Host-session=${secret}`);
    await db.query(
      `insert into sessions (tenant_id, id, hash, user_id, user_epoch, connection_id, subject, idle_seconds, expires_at)
       values ($1, $2, $3, $4, (select session_epoch from users where tenant_id = $1 and id = $4), 'con_bench', 's', 3600, now() + interval '1 hour')`,
      [tenant, `ses_bench${i}`, hash, ids.ours[i % ids.ours.length]],
    );
  }
  await db.query('analyze sessions');
  await contenders.race(
    'who is signed in, to a lean read by id',
    0.25,
    scaled(5000),
    (who) => (i) =>
      who === 'ours'
        ? { method: 'GET', absolute: '/api/auth/session', path: '', headers: { cookie: cookies[i % cookies.length] } }
        : { method: 'GET', path: `/Users/${ids[who][i % ids[who].length]}` },
  );
}
