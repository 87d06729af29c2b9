import { newKey } from './support/keys.js';
import { samlIdp, formOf, SP } from './support/idp.js';
import { samlSp } from './support/protocol.js';
const say = (...x: unknown[]) => process.stderr.write(`## ${x.join(' ')}\n`);
it('cost', async () => {
  const sp = await samlSp(); const idp = await samlIdp(); const evil = await newKey('evil');
  const ext = (inner: string) => ({ extensionsXml: `<samlp:Extensions>${inner}</samlp:Extensions>` });
  const shapes: Record<string, object> = {
    honest: {}, siblings3900: ext('<x/>'.repeat(3900)), siblings1400: ext('<x/>'.repeat(1400)), text: ext('x'.repeat(30000)), attrs: ext(`<x ${Array.from({ length: 40 }, (_, k) => `a${k}="1"`).join(' ')}/>`.repeat(100)),
    attrs500: ext(`<x ${Array.from({ length: 40 }, (_, k) => `a${k}="1"`).join(' ')}/>`.repeat(500)),
    nsnest: ext((() => { let o = ''; let c = ''; for (let i = 0; i < 40; i++) { o += `<n${i}:e ${Array.from({ length: 40 }, (_, k) => `xmlns:p${i}x${k}="u${k}"`).join(' ')} xmlns:n${i}="u">`; c = `</n${i}:e>` + c; } return o + '<x/>'.repeat(3000) + c; })()),
    nsnest1000: ext((() => { let o = ''; let c = ''; for (let i = 0; i < 40; i++) { o += `<n${i}:e ${Array.from({ length: 40 }, (_, k) => `xmlns:p${i}x${k}="u${k}"`).join(' ')} xmlns:n${i}="u">`; c = `</n${i}:e>` + c; } return o + '<x/>'.repeat(1000) + c; })()),
  };
  for (let i = 0; i < 20; i++) await sp.outcome(idp.connection(), idp.form());
  for (const sign of ['assertion', 'both'] as const) for (const [name, parts] of Object.entries(shapes)) for (const [kn, key] of [['forged', evil], ['signed', idp.key]] as const) {
    const form = idp.form(parts, { sign, key });
    let scan = 0; let total = 0; let out = ''; const n = 5;
    for (let i = 0; i < n; i++) { const t = performance.now(); try { sp.protocol.read(form); } catch {} scan += performance.now() - t; const u = performance.now(); out = await sp.outcome(idp.connection(), form); total += performance.now() - u; }
    say(sign, name, kn, form.get('SAMLResponse')!.length, 'b64; scan', (scan / n).toFixed(1), 'all', (total / n).toFixed(1), 'ms', out);
  }
  await sp.close();
}, 120000);
