import { scanXml } from '../../../src/auth/saml/xml-scan.js';
import { readResponseShape } from '../../../src/auth/saml/structure.rules.js';
import { samlIdp } from './support/idp.js';
it('hot', async () => {
  const idp = await samlIdp();
  for (const [n, x] of [['3900', '<x/>'.repeat(3900)], ['1400','<x/>'.repeat(1400)], ['attrs', `<x ${Array.from({ length: 40 }, (_, k) => `a${k}="1"`).join(' ')}/>`.repeat(500)]] as const) {
    const b = Buffer.from(idp.answer({ extensionsXml: `<samlp:Extensions>${x}</samlp:Extensions>` }));
    for (const r of [0, 1, 2]) { const t = performance.now(); for (let i = 0; i < 50; i++) scanXml(b); const u = performance.now(); const s = scanXml(b); const v = performance.now(); for (let i = 0; i < 50; i++) { try { readResponseShape(s); } catch {} } process.stderr.write(`## ${n} scan ${((u - t) / 50).toFixed(2)} shape ${((performance.now() - v) / 50).toFixed(2)} ms\n`); }
  }
});
