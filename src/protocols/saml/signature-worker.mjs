// Verifies XML signatures with xml-crypto, in a thread of its own: the time of its XPath and DOM grows faster than the
// message, and a thread can be ended. Plain JavaScript, so that it runs from `src` and from `dist`.
import { constants, createHash, createPublicKey, createVerify } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import xmldom from '@xmldom/xmldom';
import xmlCrypto from 'xml-crypto';

const { SignedXml, findAncestorNs } = xmlCrypto;
const XMLDSIG = 'http://www.w3.org/2000/09/xmldsig#';

/** The allow-lists of names.ts: nothing else exists in this thread. */
const registries = {
  SignatureAlgorithms: byName(workerData.signatures, signatureAlgorithm),
  HashAlgorithms: byName(workerData.digests, hashAlgorithm),
  CanonicalizationAlgorithms: Object.fromEntries(
    workerData.transforms.map((name) => [name, new SignedXml().CanonicalizationAlgorithms[name]]),
  ),
};

/**
 * @template T, A
 * @param {readonly [string, T][]} entries
 * @param {(name: string, value: T) => A} make
 */
function byName(entries, make) {
  // Without a prototype: a name such as `constructor` finds nothing.
  return Object.assign(
    Object.create(null),
    Object.fromEntries(entries.map(([name, value]) => [name, make(name, value)])),
  );
}

/**
 * @param {string} name
 * @param {{ key: string, hash: string, pss?: boolean }} algorithm
 */
function signatureAlgorithm(name, { key: type, hash, pss }) {
  const padding = pss ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST } : {};
  // XML Signature writes an ECDSA signature as r and s side by side (RFC 9231 §2.3.6).
  const encoding = type === 'ec' ? { dsaEncoding: 'ieee-p1363' } : {};
  return class {
    getAlgorithmName() {
      return name;
    }

    getSignature() {
      throw new Error('this thread signs nothing');
    }

    verifySignature(material, certificate, value) {
      const key = keyOf(certificate);
      if (key.asymmetricKeyType !== type) return false;
      return createVerify(hash)
        .update(material)
        .verify({ key, ...padding, ...encoding }, value, 'base64');
    }
  };
}

/** The keys of certificates: reading one takes ten times as long as verifying with it. */
const keys = new Map();
const MAX_KEYS = 200;

/**
 * @param {string} certificate in PEM
 */
function keyOf(certificate) {
  const known = keys.get(certificate);
  if (known !== undefined) return known;
  const key = createPublicKey(certificate);
  if (keys.size >= MAX_KEYS) keys.clear();
  keys.set(certificate, key);
  return key;
}

/**
 * @param {string} name
 * @param {string} hash
 */
function hashAlgorithm(name, hash) {
  return class {
    getAlgorithmName() {
      return name;
    }

    getHash(xml) {
      // Half of a surrogate pair would be hashed as U+FFFD, and so would any other half.
      if (!xml.isWellFormed()) throw new Error('text refused');
      return createHash(hash).update(xml, 'utf8').digest('base64');
    }
  };
}

/**
 * Makes xml-crypto's verifier of one signature.
 *
 * @param {Element} signature
 * @param {string} publicCert in PEM
 */
function verifierOf(signature, publicCert) {
  // Without `getCertFromKeyInfo`: a certificate in the message is never a key.
  const verifier = Object.assign(new SignedXml({ publicCert }), registries);
  verifier.loadSignature(signature);
  return verifier;
}

/** Canonicalises alone: nothing is loaded into it. */
const canonicalizer = Object.assign(new SignedXml(), registries);

/**
 * Reads XML strictly: an error of the parser is an error here.
 *
 * @param {string} xml
 */
function parse(xml) {
  const refuse = (message) => {
    throw new Error(message);
  };
  return new xmldom.DOMParser({ errorHandler: { warning: refuse, error: refuse, fatalError: refuse } }).parseFromString(
    xml,
    'text/xml',
  );
}

/**
 * Returns those of the certificates that made a signature, by its SignedInfo alone. This accepts nothing: it refuses a
 * forgery before the weight of the message costs anything, and saves a full attempt for each other certificate.
 *
 * @param {Element} signature from an excerpt (`signatureExcerpt`)
 * @param {readonly string[]} certificates in PEM
 */
function signersOf(signature, certificates) {
  const textOf = (name) => signature.getElementsByTagNameNS(XMLDSIG, name)[0];
  const info = textOf('SignedInfo');
  const method = textOf('SignatureMethod').getAttribute('Algorithm');
  const canonicalization = textOf('CanonicalizationMethod').getAttribute('Algorithm');
  const value = textOf('SignatureValue').textContent;
  const Algorithm = registries.SignatureAlgorithms[method];
  const ancestorNamespaces = findAncestorNs(signature.ownerDocument, "//*[local-name()='SignedInfo']");
  const material = canonicalizer.getCanonXml([canonicalization], info, { ancestorNamespaces });
  return certificates.filter((one) => new Algorithm().verifySignature(material, one, value));
}

/**
 * Returns the octets that a signature covers, or null when none of the certificates made it.
 *
 * @param {Element} signature
 * @param {string} xml the document that holds the signature
 * @param {readonly string[]} certificates in PEM
 */
function signedOctets(signature, xml, certificates) {
  for (const certificate of certificates) {
    const verifier = verifierOf(signature, certificate);
    if (verifier.getReferences().length !== 1 || !verifier.checkSignature(xml)) continue;
    const signed = verifier.getSignedReferences();
    return signed.length === 1 ? signed[0] : null;
  }
  return null;
}

/**
 * Verifies all signatures of a job. Any one that does not verify refuses the job.
 *
 * @param {import('./verifier.js').SignatureJob} job
 * @returns {import('./verifier.js').SignatureJobResult}
 */
function verify({ signatures, certificates }) {
  const elements = signatures.map(({ excerpt }) => parse(excerpt).documentElement);
  const signers = elements.map((element) => signersOf(element, certificates));
  if (signers.length === 0 || signers.some((found) => found.length === 0)) return REFUSED;
  // XML 1.0 §2.11; xml-crypto expects it done.
  const text = (xml) => xml.replace(/\r\n?/g, '\n');
  const signed = signatures.map(({ xml }, i) => signedOctets(elements[i], text(xml), signers[i]));
  return signed.includes(null) ? REFUSED : { signed, signers: [...new Set(signers.flat())] };
}

const REFUSED = { signed: null, signers: [] };

parentPort.on('message', (job) => {
  let verdict = REFUSED;
  try {
    verdict = verify(job);
  } catch {
    // Any error means that the message is not verified.
  }
  parentPort.postMessage({ verdict });
});
parentPort.postMessage({ ready: true });
