#!/usr/bin/env node
// Sends the recorded conversations between identity providers and a SCIM 2.0 server (test/fixtures/scim, whose README
// describes the form) to a server, and compares its answers. Needs nothing but Node.js.
//
//   node scripts/run-scim.mjs --base http://localhost:3000/scim/v2 --token TOKEN
//        [--dir DIR] [--only SUBSTR] [--idp NAME] [--json OUT]
//        [--strict] [--skip-slow] [--scale F] [--keep] [--timeout MS] [--verbose] [--list]
//
// Exit code: 0 when nothing failed, 1 when something failed, 2 on bad usage.

import fs from 'node:fs';
import path from 'node:path';
import http from 'node:http';
import https from 'node:https';
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

// ---------------------------------------------------------------- arguments

function parseArgs(argv) {
  const o = { timeout: 60000, scale: 1 };
  const flags = new Set(['strict', 'skip-slow', 'keep', 'verbose', 'list', 'help']);
  for (let i = 0; i < argv.length; i++) {
    const m = /^--([a-z-]+)(?:=(.*))?$/.exec(argv[i]);
    if (!m) usage(`unexpected argument: ${argv[i]}`);
    const [, key, inline] = m;
    if (flags.has(key)) {
      o[key] = true;
      continue;
    }
    if (!['base', 'token', 'dir', 'only', 'idp', 'json', 'scale', 'timeout'].includes(key))
      usage(`unknown option: --${key}`);
    const val = inline !== undefined ? inline : argv[++i];
    if (val === undefined) usage(`--${key} needs a value`);
    o[key] = key === 'scale' || key === 'timeout' ? Number(val) : val;
  }
  if (o.help) usage();
  if (!o.list && !o.base) usage('--base is required');
  return o;
}

function usage(msg) {
  if (msg) console.error(msg);
  console.error(
    'usage: node scripts/run-scim.mjs --base URL --token TOKEN [--dir DIR] [--only SUBSTR] [--idp NAME] [--json OUT]',
  );
  console.error(
    '                                 [--strict] [--skip-slow] [--scale F] [--keep] [--timeout MS] [--verbose] [--list]',
  );
  process.exit(msg ? 2 : 0);
}

function defaultDir() {
  return path.resolve(import.meta.dirname, '..', 'test', 'fixtures', 'scim');
}

// ---------------------------------------------------------------- templates

const own = (o, k) => Object.prototype.hasOwnProperty.call(o, k);
const isObj = (v) => v !== null && typeof v === 'object' && !Array.isArray(v);

function put(o, k, v) {
  // safe even for "__proto__"
  Object.defineProperty(o, k, { value: v, enumerable: true, configurable: true, writable: true });
}

class Unresolved extends Error {}

function evalExpr(expr, vars) {
  const e = expr.trim();
  if (e === 'uuid') return randomUUID();
  let m = /^(upper|lower|enc|json):(.+)$/.exec(e);
  if (m) {
    const v = String(evalExpr(m[2], vars));
    if (m[1] === 'upper') return v.toUpperCase();
    if (m[1] === 'lower') return v.toLowerCase();
    if (m[1] === 'enc') return encodeURIComponent(v);
    return JSON.stringify(v).slice(1, -1);
  }
  m = /^#([A-Za-z_]\w*)(?:\s*([+-])\s*(\d+))?$/.exec(e); // length of an array or string
  if (m) {
    if (!own(vars, m[1])) throw new Unresolved(m[1]);
    return vars[m[1]].length + (m[2] ? (m[2] === '+' ? 1 : -1) * Number(m[3]) : 0);
  }
  m = /^([A-Za-z_]\w*)(?:\[(-?\d+)\])?(?:\s*([+-])\s*(\d+))?$/.exec(e);
  if (!m) throw new Unresolved(e);
  if (!own(vars, m[1])) throw new Unresolved(m[1]);
  let v = vars[m[1]];
  if (m[2] !== undefined) v = v.at(Number(m[2]));
  if (m[3]) v = Number(v) + (m[3] === '+' ? 1 : -1) * Number(m[4]);
  if (v === undefined) throw new Unresolved(e);
  return v;
}

function fillString(s, vars) {
  const whole = /^\{\{([^{}]+)\}\}$/.exec(s);
  if (whole) return evalExpr(whole[1], vars); // keeps the type
  return s.replace(/\{\{([^{}]+)\}\}/g, (_, e) => String(evalExpr(e, vars)));
}

// Body generators: {"@map":var,"as":name,"to":tpl}, {"@repeat":n,"as":name,"item":tpl}, {"@string":n,"char":"x"}
function generate(node, vars) {
  if (own(node, '@map')) {
    const list = typeof node['@map'] === 'string' ? evalExpr(node['@map'], vars) : node['@map'];
    const as = node.as || 'item';
    return list.map((item, index) => fill(node.to, { ...vars, [as]: item, index }));
  }
  if (own(node, '@repeat')) {
    const n = Number(fill(node['@repeat'], vars));
    const as = node.as || 'index';
    return Array.from({ length: n }, (_, index) => fill(node.item, { ...vars, [as]: index }));
  }
  if (own(node, '@string')) return String(node.char || 'x').repeat(Number(fill(node['@string'], vars)));
  return undefined;
}

function fill(node, vars) {
  if (typeof node === 'string') return fillString(node, vars);
  if (Array.isArray(node)) {
    const out = [];
    for (const el of node) {
      if (isObj(el) && (own(el, '@map') || own(el, '@repeat')))
        out.push(...generate(el, vars)); // spliced in
      else out.push(fill(el, vars));
    }
    return out;
  }
  if (isObj(node)) {
    const g = generate(node, vars);
    if (g !== undefined) return g;
    const out = {};
    for (const k of Object.keys(node)) put(out, fillString(k, vars), fill(node[k], vars));
    return out;
  }
  return node;
}

// ---------------------------------------------------------------- JSONPath subset

function jsonPath(root, expr) {
  if (!expr.startsWith('$')) throw new Error(`bad path ${expr}`);
  let cur = [root];
  let multi = false;
  const re =
    /\.([A-Za-z_$][\w$-]*)|\['([^']*)'\]|\["([^"]*)"\]|\[(-?\d+)\]|\[\*\]|\[\?\(@\.([\w$]+)\s*==\s*(?:'([^']*)'|"([^"]*)"|(true|false|-?\d+))\)\]/y;
  re.lastIndex = 1;
  while (re.lastIndex < expr.length) {
    const at = re.lastIndex;
    const m = re.exec(expr);
    if (!m) throw new Error(`bad path ${expr} near position ${at}`);
    const key = m[1] ?? m[2] ?? m[3];
    if (key !== undefined) cur = cur.filter((v) => isObj(v) && own(v, key)).map((v) => v[key]);
    else if (m[4] !== undefined)
      cur = cur
        .filter(Array.isArray)
        .map((v) => v.at(Number(m[4])))
        .filter((v) => v !== undefined);
    else if (m[0] === '[*]') {
      multi = true;
      cur = cur.filter(Array.isArray).flat(1);
    } else {
      const want = m[6] ?? m[7] ?? (m[8] === 'true' ? true : m[8] === 'false' ? false : Number(m[8]));
      cur = cur
        .filter(Array.isArray)
        .flat(1)
        .filter((v) => isObj(v) && v[m[5]] === want);
    }
  }
  return multi ? cur : cur[0];
}

// ---------------------------------------------------------------- matching

const MATCHERS = {
  '@absent': (v, want) =>
    (v === undefined) === want || `expected ${want ? 'the member to be absent' : 'the member to be there'}`,
  '@present': (v, want) => (v !== undefined && v !== null) === want || `expected ${want ? 'a value' : 'no value'}`,
  '@unset': (v, want) => isUnset(v) === want || `expected ${want ? 'unassigned (absent, null, empty)' : 'a value'}`,
  '@type': (v, want) => [].concat(want).includes(typeOf(v)) || `expected type ${[].concat(want).join('|')}`,
  '@regex': (v, want) => (typeof v === 'string' && new RegExp(want, 'u').test(v)) || `expected text matching /${want}/`,
  '@eqi': (v, want) =>
    (typeof v === 'string' && v.toLowerCase() === String(want).toLowerCase()) || `expected (any case) ${show(want)}`,
  '@oneOf': (v, want) => want.some((w) => match(w, v).length === 0) || `expected one of ${show(want)}`,
  '@not': (v, want) => match(want, v).length > 0 || `expected anything but ${show(want)}`,
  '@length': (v, want) => lengthOf(v) === want || `expected length ${want}, got ${lengthOf(v)}`,
  '@minLength': (v, want) => lengthOf(v) >= want || `expected length >= ${want}, got ${lengthOf(v)}`,
  '@maxLength': (v, want) => lengthOf(v) <= want || `expected length <= ${want}, got ${lengthOf(v)}`,
  '@gt': (v, want) => v > want || `expected > ${want}`,
  '@gte': (v, want) => v >= want || `expected >= ${want}`,
  '@lt': (v, want) => v < want || `expected < ${want}`,
  '@lte': (v, want) => v <= want || `expected <= ${want}`,
  '@date': (v, want) =>
    (typeof v === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(v) && !Number.isNaN(Date.parse(v))) === want ||
    'expected an ISO 8601 date-time',
  '@contains': (v, want) => sub(want, v),
  '@items': (v, want) =>
    Array.isArray(v) && v.length === want.length
      ? sub(want, v)
      : `expected exactly ${want.length} items, got ${Array.isArray(v) ? v.length : show(v)}`,
  '@ordered': (v, want) => {
    if (!Array.isArray(v) || v.length !== want.length)
      return `expected exactly ${want.length} items in order, got ${Array.isArray(v) ? v.length : show(v)}`;
    for (let i = 0; i < want.length; i++) {
      const e = match(want[i], v[i]);
      if (e.length) return `[${i}] ${e[0]}`;
    }
    return true;
  },
  '@none': (v, want) => {
    for (const el of Array.isArray(v) ? v : [])
      for (const w of want)
        if (match(w, el).length === 0) return `expected no item matching ${show(w)}, found ${show(el)}`;
    return true;
  },
  '@every': (v, want) => {
    if (!Array.isArray(v)) return `expected an array, got ${show(v)}`;
    for (let i = 0; i < v.length; i++) {
      const e = match(want, v[i]);
      if (e.length) return `[${i}] ${e[0]}`;
    }
    return true;
  },
  '@count': (v, want) => {
    const n = (Array.isArray(v) ? v : []).filter((el) => match(want.of, el).length === 0).length;
    if (want.eq !== undefined && n !== want.eq) return `expected ${want.eq} items matching ${show(want.of)}, got ${n}`;
    if (want.lte !== undefined && n > want.lte)
      return `expected at most ${want.lte} items matching ${show(want.of)}, got ${n}`;
    if (want.gte !== undefined && n < want.gte)
      return `expected at least ${want.gte} items matching ${show(want.of)}, got ${n}`;
    return true;
  },
};

const typeOf = (v) =>
  v === undefined
    ? 'absent'
    : v === null
      ? 'null'
      : Array.isArray(v)
        ? 'array'
        : Number.isInteger(v)
          ? 'integer'
          : typeof v;
const lengthOf = (v) => (v === undefined || v === null ? 0 : typeof v === 'string' ? [...v].length : (v.length ?? -1));
const isUnset = (v) =>
  v === undefined ||
  v === null ||
  v === '' ||
  (Array.isArray(v) && v.length === 0) ||
  (isObj(v) && Object.values(v).every(isUnset));
const show = (v) => {
  const s = v === undefined ? '(absent)' : JSON.stringify(v);
  return s.length > 240 ? `${s.slice(0, 240)}…` : s;
};

// every wanted element must be matched by its own, different actual element
function sub(want, v) {
  if (!Array.isArray(v)) return `expected an array, got ${show(v)}`;
  const options = want.map((w) => {
    const hit = [];
    for (let i = 0; i < v.length; i++) if (match(w, v[i]).length === 0) hit.push(i);
    return hit;
  });
  const missing = options.findIndex((o) => o.length === 0);
  if (missing >= 0) return `no item matches ${show(want[missing])} in ${show(v)}`;
  const taken = new Map(); // actual index -> wanted index (augmenting paths)
  const assign = (w, seen) => {
    for (const i of options[w]) {
      if (seen.has(i)) continue;
      seen.add(i);
      if (!taken.has(i) || assign(taken.get(i), seen)) {
        taken.set(i, w);
        return true;
      }
    }
    return false;
  };
  for (let w = 0; w < want.length; w++)
    if (!assign(w, new Set())) return `not enough items matching ${show(want[w])} in ${show(v)}`;
  return true;
}

const isMatcher = (w) => isObj(w) && Object.keys(w).length > 0 && Object.keys(w).every((k) => own(MATCHERS, k));

// returns a list of problems; empty = match
function match(want, v, at = '') {
  if (isMatcher(want)) {
    const out = [];
    for (const k of Object.keys(want)) {
      const r = MATCHERS[k](v, want[k]);
      if (r !== true) out.push(`${at}: ${typeof r === 'string' ? r : `${k} ${show(want[k])}`}; got ${show(v)}`);
    }
    return out;
  }
  if (want === null) return v === null || v === undefined ? [] : [`${at}: expected null or absent; got ${show(v)}`];
  if (Array.isArray(want)) {
    const r = sub(want, v);
    return r === true ? [] : [`${at}: ${r}`];
  }
  if (isObj(want)) {
    if (!isObj(v)) return [`${at}: expected an object; got ${show(v)}`];
    return Object.keys(want).flatMap((k) =>
      match(want[k], own(v, k) ? v[k] : undefined, /^[\w$]+$/.test(k) ? `${at}.${k}` : `${at}['${k}']`),
    );
  }
  return want === v ? [] : [`${at}: expected ${show(want)}; got ${show(v)}`];
}

// ---------------------------------------------------------------- HTTP

const agents = {
  'http:': new http.Agent({ keepAlive: true, maxSockets: 64 }),
  'https:': new https.Agent({ keepAlive: true, maxSockets: 64 }),
};

function encodePath(p) {
  // encode only what may not appear raw in a request target
  return p.replace(/[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]/gu, (c) => encodeURIComponent(c));
}

function rawRequest(base, method, target, headers, payload, timeout) {
  const url = new URL(base);
  const mod = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const req = mod.request(
      {
        protocol: url.protocol,
        hostname: url.hostname,
        port: url.port || undefined,
        method,
        path: target,
        headers,
        agent: agents[url.protocol],
      },
      (res) => {
        const chunks = [];
        res.on('data', (c) => chunks.push(c));
        res.on('end', () =>
          resolve({ status: res.statusCode, headers: res.headers, text: Buffer.concat(chunks).toString('utf8') }),
        );
        res.on('error', reject);
      },
    );
    req.setTimeout(timeout, () => req.destroy(new Error(`no answer within ${timeout} ms`)));
    req.on('error', reject);
    if (payload !== undefined) req.write(payload);
    req.end();
  });
}

async function send(ctx, r) {
  const { opts } = ctx;
  const basePath = new URL(opts.base).pathname.replace(/\/+$/, '');
  let target = basePath + encodePath(r.path);
  if (r.query) {
    const q = Object.entries(r.query)
      .map(([k, v]) => `${encodeURIComponent(k)}=${encodeURIComponent(v)}`)
      .join('&');
    if (q) target += (target.includes('?') ? '&' : '?') + q;
  }
  const headers = { accept: 'application/scim+json', 'user-agent': 'scim-scenario-runner/1' };
  if (opts.token) headers.authorization = `Bearer ${opts.token}`;
  let payload;
  if (r.rawBody !== undefined) payload = Buffer.from(String(r.rawBody), 'utf8');
  else if (r.body !== undefined) payload = Buffer.from(JSON.stringify(r.body), 'utf8');
  if (payload !== undefined) {
    headers['content-type'] = 'application/scim+json';
    headers['content-length'] = String(payload.length);
  } else if (['POST', 'PUT', 'PATCH'].includes(r.method)) headers['content-length'] = '0';
  for (const [k, v] of Object.entries(r.headers || {})) {
    if (v === null) delete headers[k.toLowerCase()];
    else headers[k.toLowerCase()] = String(v);
  }
  for (let attempt = 0; ; attempt++) {
    let res;
    try {
      res = await rawRequest(opts.base, r.method, target, headers, payload, opts.timeout);
    } catch (e) {
      if (attempt < 2 && /ECONNRESET|EPIPE|socket hang up/.test(String(e.message || e))) continue; // stale keep-alive socket
      throw e;
    }
    if (res.status === 429 && attempt < 5) {
      // behave like a polite client
      await sleep(Math.min(10, Number(res.headers['retry-after']) || 1) * 1000);
      continue;
    }
    if (res.text !== '') {
      try {
        res.body = JSON.parse(res.text);
      } catch {
        res.notJson = true;
      }
    }
    return { ...res, target };
  }
}

// ---------------------------------------------------------------- steps

async function doRequest(ctx, step, vars) {
  const errors = [];
  const captured = {};
  let request;
  let res;
  try {
    request = fill(step.request, vars);
  } catch (e) {
    if (e instanceof Unresolved)
      return {
        errors: [`cannot build the request: {{${e.message}}} has no value (an earlier step did not capture it)`],
        captured,
      };
    throw e;
  }
  try {
    res = await send(ctx, request);
  } catch (e) {
    return { errors: [`request failed: ${e.message || e}`], captured, request };
  }
  const x = step.expect || {};
  const wantStatus = [].concat(x.status ?? []);
  if (wantStatus.length && !wantStatus.includes(res.status))
    errors.push(`status: expected ${wantStatus.join(' or ')}, got ${res.status}`);
  const statusOk = errors.length === 0;

  // track what was created, for clean-up
  if (res.status === 201 && isObj(res.body) && typeof res.body.id === 'string') {
    const m = /^\/?(Users|Groups)\b/.exec(request.path.replace(/^\//, ''));
    if (m) ctx.created.add(`/${m[1]}/${encodeURIComponent(res.body.id)}`);
  }
  if (isObj(res.body) && Array.isArray(res.body.Operations)) {
    for (const op of res.body.Operations) {
      const m = typeof op?.location === 'string' && /\/(Users|Groups)\/[^/?#]+$/.exec(op.location);
      if (m && op.method === 'POST') ctx.created.add(m[0]);
    }
  }

  // captures first, so that the matchers below may use them
  for (const [name, spec] of Object.entries(x.capture || {})) {
    try {
      const s = typeof spec === 'string' ? { path: spec } : spec;
      if (s.onStatus && ![].concat(s.onStatus).includes(res.status)) continue;
      let v = s.header ? res.headers[s.header.toLowerCase()] : jsonPath(res.body, s.path);
      if (v !== undefined && s.regex) {
        const m = new RegExp(s.regex, 'u').exec(String(v));
        v = m ? m[s.group ?? 0] : undefined;
      }
      if (v === undefined || v === null) {
        if (own(s, 'default')) v = s.default;
        else {
          if (statusOk) errors.push(`capture ${name}: nothing at ${s.header ? `header ${s.header}` : s.path}`);
          continue;
        }
      }
      captured[name] = v;
    } catch (e) {
      errors.push(`capture ${name}: ${e.message}`);
    }
  }
  const all = { ...vars, ...captured };
  try {
    for (const [h, want] of Object.entries(fill(x.headers || {}, all))) {
      errors.push(...match(want, res.headers[h.toLowerCase()], `header ${h}`));
    }
    if (statusOk) {
      const noBody = res.status === 204 || res.status === 304;
      let want = x.body;
      if (x.bodyByStatus && own(x.bodyByStatus, String(res.status))) want = x.bodyByStatus[res.status];
      if (noBody || x.noBody) {
        if (res.text !== '') errors.push(`body: expected none, got ${show(res.text)}`);
      } else if (want !== undefined) {
        if (res.text === '') errors.push('body: expected JSON, got an empty body');
        else if (res.notJson) errors.push(`body: expected JSON, got ${show(res.text)}`);
        else errors.push(...match(fill(want, all), res.body, 'body'));
      }
    }
  } catch (e) {
    if (!(e instanceof Unresolved)) throw e;
    errors.push(`cannot check: {{${e.message}}} has no value (an earlier step did not capture it)`);
  }
  return { errors, captured, request, res };
}

async function pool(items, n, fn) {
  const out = new Array(items.length);
  let next = 0;
  await Promise.all(
    Array.from({ length: Math.max(1, Math.min(n, items.length)) }, async () => {
      for (;;) {
        const i = next++;
        if (i >= items.length) return;
        out[i] = await fn(items[i], i);
      }
    }),
  );
  return out;
}

function iterations(ctx, rep, vars) {
  if (rep.over !== undefined) {
    const list = evalExpr(rep.over, vars);
    const size = rep.chunk || 0;
    const groups = size
      ? Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size))
      : list;
    return groups.map((item, i) => ({ [rep.as || 'item']: item, i, n: i + 1 }));
  }
  let count = Number(fill(rep.count, vars));
  if (rep.scalable) count = Math.max(1, Math.round(count * ctx.opts.scale));
  return Array.from({ length: count }, (_, i) => ({ [rep.as || 'i']: i, i, n: i + 1 }));
}

async function runStep(ctx, step, vars) {
  if (step.skipIf) {
    const s = step.skipIf;
    const v = own(vars, s.var) ? vars[s.var] : undefined;
    if (
      (s.unset && isUnset(v)) ||
      (s.gt !== undefined && v > s.gt) ||
      (s.lt !== undefined && v < s.lt) ||
      (own(s, 'eq') && v === s.eq)
    )
      return { skipped: true, errors: [] };
  }
  if (step.delayMs) await sleep(step.delayMs);
  if (!step.repeat) {
    const r = await doRequest(ctx, step, vars);
    Object.assign(vars, r.captured);
    return r;
  }
  let its;
  try {
    its = iterations(ctx, step.repeat, vars);
  } catch (e) {
    if (e instanceof Unresolved)
      return { errors: [`cannot repeat: {{${e.message}}} has no value (an earlier step did not capture it)`] };
    throw e;
  }
  let stop = false;
  const results = await pool(its, step.repeat.concurrency || 1, async (it) =>
    stop
      ? null
      : doRequest(ctx, step, { ...vars, ...it }).then((r) => {
          if (r.errors.length) stop = true;
          return r;
        }),
  );
  for (const name of Object.keys(step.expect?.capture || {})) {
    vars[name] = results
      .filter(Boolean)
      .map((r) => r.captured[name])
      .filter((v) => v !== undefined);
  }
  const bad = results.findIndex((r) => r && r.errors.length);
  if (bad < 0) return { ...(results.at(-1) || {}), errors: [], iterations: its.length };
  return {
    ...results[bad],
    errors: results[bad].errors.map((e) => `iteration ${bad + 1}/${its.length}: ${e}`),
    iterations: its.length,
  };
}

// ---------------------------------------------------------------- scenarios

async function discover(opts) {
  const f = {
    patch: true,
    bulk: true,
    filter: true,
    sort: true,
    etag: true,
    changePassword: true,
    cursor: false,
    index: true,
  };
  try {
    const res = await send({ opts, created: new Set() }, { method: 'GET', path: '/ServiceProviderConfig' });
    const c = res.body || {};
    if (res.status === 200 && isObj(c)) {
      for (const k of ['patch', 'bulk', 'filter', 'sort', 'etag', 'changePassword']) f[k] = c[k]?.supported === true;
      f.cursor = c.pagination?.cursor === true;
      f.index = c.pagination ? c.pagination.index === true : true;
    }
  } catch {
    /* the scenarios will say it */
  }
  return f;
}

async function runScenario(ctx, sc) {
  const rand = randomBytes(5).toString('hex');
  const vars = {
    rand,
    RAND: rand.toUpperCase(),
    token: ctx.opts.token ?? '',
    base: ctx.opts.base.replace(/\/+$/, ''),
    now: new Date().toISOString(),
    ...fill(sc.vars || {}, { rand, RAND: rand.toUpperCase() }),
  };
  ctx.created = new Set();
  const steps = [];
  for (let i = 0; i < sc.steps.length; i++) {
    const step = sc.steps[i];
    const t0 = Date.now();
    const r = await runStep(ctx, step, vars);
    steps.push({
      index: i + 1,
      note: step.note,
      method: step.request.method,
      path: r.res?.target ?? r.request?.path ?? step.request.path,
      ok: !r.skipped && r.errors.length === 0,
      skipped: !!r.skipped,
      ms: Date.now() - t0,
      status: r.res?.status,
      errors: r.errors,
      ...(r.errors.length && r.res ? { response: r.res.text.slice(0, 1500) } : {}),
      ...(r.errors.length && r.request?.body !== undefined ? { sent: show(r.request.body) } : {}),
    });
  }
  if (!ctx.opts.keep && ctx.created.size) {
    const all = [...ctx.created];
    for (const kind of ['/Groups/', '/Users/']) {
      await pool(
        all.filter((p) => p.startsWith(kind)),
        16,
        async (p) => {
          try {
            await send(ctx, { method: 'DELETE', path: p });
          } catch {
            /* best effort */
          }
        },
      );
    }
  }
  return steps;
}

function load(dir, opts) {
  const files = fs
    .readdirSync(dir)
    .filter((f) => f.endsWith('.json'))
    .sort();
  const out = [];
  for (const file of files) {
    const sc = JSON.parse(fs.readFileSync(path.join(dir, file), 'utf8'));
    if (!Array.isArray(sc.steps)) continue;
    if (opts.only && !file.includes(opts.only) && !String(sc.name).includes(opts.only)) continue;
    if (opts.idp && sc.idp !== opts.idp) continue;
    out.push({ file, ...sc });
  }
  return out;
}

async function main() {
  const opts = parseArgs(process.argv.slice(2));
  const dir = opts.dir || defaultDir();
  const scenarios = load(dir, opts);
  if (opts.list) {
    for (const s of scenarios) console.log(`${s.file.padEnd(52)} ${String(s.idp).padEnd(14)} ${s.steps.length} steps`);
    console.log(`${scenarios.length} scenarios, ${scenarios.reduce((n, s) => n + s.steps.length, 0)} steps`);
    return 0;
  }
  const features = await discover(opts);
  const report = [];
  let passed = 0;
  let failed = 0;
  let skippedSteps = 0;
  const sum = { passed: 0, failed: 0, skipped: 0 };
  for (const sc of scenarios) {
    const missing = (sc.requires || []).filter((f) => !features[f]);
    if ((opts['skip-slow'] && sc.slow) || (missing.length && !opts.strict)) {
      const why = missing.length ? `the server's ServiceProviderConfig does not offer: ${missing.join(', ')}` : 'slow';
      console.log(`skip ${sc.name} (${why})`);
      sum.skipped++;
      report.push({ file: sc.file, name: sc.name, idp: sc.idp, skipped: why });
      continue;
    }
    const ctx = { opts, created: new Set() };
    const t0 = Date.now();
    const steps = await runScenario(ctx, sc);
    const bad = steps.filter((s) => !s.ok && !s.skipped);
    passed += steps.filter((s) => s.ok).length;
    skippedSteps += steps.filter((s) => s.skipped).length;
    failed += bad.length;
    sum[bad.length ? 'failed' : 'passed']++;
    report.push({ file: sc.file, name: sc.name, idp: sc.idp, ms: Date.now() - t0, ok: bad.length === 0, steps });
    if (!bad.length) console.log(`ok   ${sc.name} (${steps.length} steps)`);
    else {
      console.log(`FAIL ${sc.name} (${bad.length} of ${steps.length} steps)`);
      for (const s of bad) {
        console.log(`     step ${s.index}${s.note ? ` — ${s.note}` : ''}`);
        console.log(`       ${s.method} ${s.path}${s.status ? ` -> ${s.status}` : ''}`);
        for (const e of s.errors) console.log(`       ${e}`);
        if (opts.verbose) {
          if (s.sent) console.log(`       sent: ${s.sent}`);
          if (s.response) console.log(`       response: ${s.response.slice(0, 600)}`);
        }
      }
    }
  }
  for (const a of Object.values(agents)) a.destroy();
  if (opts.json) {
    fs.writeFileSync(
      opts.json,
      JSON.stringify(
        {
          base: opts.base,
          features,
          steps: { passed, failed, skipped: skippedSteps },
          scenarios: sum,
          results: report,
        },
        null,
        2,
      ),
    );
  }
  console.log(`scenarios: ${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`);
  console.log(`${passed} passed, ${failed} failed`);
  return failed ? 1 : 0;
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (e) => {
    console.error(e);
    process.exitCode = 2;
  },
);
