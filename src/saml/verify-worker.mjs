// Verifies signatures with node-saml, in a thread of its own: its XPath and DOM take time that grows faster than the
// message does (SAML-17), and a thread can be ended. JavaScript, so that it runs from src and from dist alike.
import { createHash, createPublicKey, createVerify, constants } from 'node:crypto';
import { createRequire } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';

const fromHere = createRequire(import.meta.url);
const fromPassport = createRequire(fromHere.resolve('@node-saml/passport-saml'));
const fromNodeSaml = createRequire(fromPassport.resolve('@node-saml/node-saml'));
const { SAML, ValidateInResponseTo } = fromPassport('@node-saml/node-saml');
const { getVerifiedXml, parseDomFromString } = fromPassport('@node-saml/node-saml/lib/xml.js');
const { SignedXml } = fromNodeSaml('xml-crypto');
const xmlEncryption = fromNodeSaml('xml-encryption');

/** @type {Map<string, { key: string, hash: string, pss?: boolean }>} */
const signatures = new Map(workerData.signatures);
/** @type {Map<string, string>} */
const digests = new Map(workerData.digests);
const transforms = new Set(workerData.transforms);

// The registries of xml-crypto are replaced by our allow-lists: SHA-1 and everything else that is not in them does not
// exist here, and SHA-384 and ECDSA, which it lacks, do (SAML-03). It offers no other way through node-saml.
SignedXml.prototype.findSignatureAlgorithm = function (name) {
  const algorithm = signatures.get(name);
  if (algorithm === undefined) throw new Error('signature algorithm refused');
  return {
    getAlgorithmName: () => name,
    getSignature: () => {
      throw new Error('nothing is signed here');
    },
    verifySignature: (material, certificate, value) => {
      const key = createPublicKey(certificate);
      if (key.asymmetricKeyType !== algorithm.key) return false;
      const padding = algorithm.pss
        ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
        : {};
      // XML writes an ECDSA signature as r and s side by side (RFC 9231 §2.3.6).
      const encoding = algorithm.key === 'ec' ? { dsaEncoding: 'ieee-p1363' } : {};
      return createVerify(algorithm.hash)
        .update(material)
        .verify({ key, ...padding, ...encoding }, value, 'base64');
    },
  };
};
SignedXml.prototype.findHashAlgorithm = function (name) {
  const hash = digests.get(name);
  if (hash === undefined) throw new Error('digest algorithm refused');
  return {
    getAlgorithmName: () => name,
    getHash: (xml) => {
      // Half of a surrogate pair would be hashed as U+FFFD, like any other half.
      if (!xml.isWellFormed()) throw new Error('text refused');
      return createHash(hash).update(xml, 'utf8').digest('base64');
    },
  };
};
const findCanonicalization = SignedXml.prototype.findCanonicalizationAlgorithm;
SignedXml.prototype.findCanonicalizationAlgorithm = function (name) {
  if (!transforms.has(name)) throw new Error('transform refused');
  return findCanonicalization.call(this, name);
};

/**
 * Those of the certificates that made a signature, each over its SignedInfo alone, canonicalized by the library itself;
 * null where one of the signatures is of none. This accepts nothing: the message is verified as a whole afterwards, with
 * those certificates. It refuses a forgery before its weight costs anything, and spares a connection with several
 * certificates as many full attempts.
 *
 * @param {readonly string[]} excerpts
 * @param {readonly string[]} certificates
 * @returns {Promise<string[] | null>}
 */
async function signersOf(excerpts, certificates) {
  if (excerpts.length === 0) return null;
  const signers = new Set();
  for (const excerpt of excerpts) {
    const document = await parseDomFromString(excerpt);
    const signature = new SignedXml();
    signature.loadSignature(document.documentElement);
    const material = signature.getCanonSignedInfoXml(document);
    const algorithm = signature.findSignatureAlgorithm(signature.signatureAlgorithm);
    const found = certificates.filter((one) => algorithm.verifySignature(material, one, signature.signatureValue));
    if (found.length === 0) return null;
    for (const one of found) signers.add(one);
  }
  return [...signers];
}

/** Nothing is remembered here: requests and used messages are kept in the database. */
const noCache = {
  saveAsync: async () => null,
  getAsync: async () => null,
  removeAsync: async () => null,
};

/** node-saml, which shows what it verified before it judges the contents. */
class Verification extends SAML {
  /** @type {string | null} */ signed = null;
  /** @type {string | null} */ assertion = null;

  // White space around an Audience counts for nothing (xs:anyURI); which one is meant is judged elsewhere once more, exactly.
  checkAudienceValidityError(expected, restrictions) {
    for (const { Audience: audiences } of restrictions ?? []) {
      for (const audience of audiences ?? []) if (typeof audience._ === 'string') audience._ = audience._.trim();
    }
    return super.checkAudienceValidityError(expected, restrictions);
  }

  async getSignedAssertion(verifiedXml) {
    this.signed = verifiedXml;
    return super.getSignedAssertion(verifiedXml);
  }

  async processValidlySignedAssertionAsync(assertionXml, responseXml, inResponseTo) {
    this.assertion = assertionXml;
    return super.processValidlySignedAssertionAsync(assertionXml, responseXml, inResponseTo);
  }
}

/**
 * Verifies a Response. Every option that bears on what is believed is written out.
 *
 * @param {import('./verifier.js').ResponseJob} job
 * @returns {Promise<import('./verifier.js').ResponseVerdict>}
 */
async function verifyResponse(job) {
  const signers = await signersOf(job.signatures, job.certificates).catch(() => null);
  if (signers === null) return { signed: null, assertion: null, signers: [], objection: 'Invalid signature' };
  // The encrypted assertion was opened and looked through already; exactly those bytes are verified. Without the
  // plain text nothing can be decrypted: this thread has no private key.
  xmlEncryption.decrypt = (_xml, _options, done) =>
    job.decrypted === null ? done(new Error('nothing to decrypt')) : done(null, job.decrypted);
  const verification = new Verification({
    idpCert: signers,
    idpIssuer: job.idpEntityId,
    issuer: job.spEntityId,
    audience: job.spEntityId,
    callbackUrl: job.acsUrl,
    entryPoint: job.acsUrl,
    wantAuthnResponseSigned: job.responseSigned,
    wantAssertionsSigned: job.assertionSigned,
    acceptedClockSkewMs: job.skewMs,
    maxAssertionAgeMs: job.maxAgeMs,
    validateInResponseTo: ValidateInResponseTo.never,
    requestIdExpirationPeriodMs: 0,
    cacheProvider: noCache,
    decryptionPvk: job.decrypted === null ? undefined : 'opened already',
  });
  try {
    const { profile } = await verification.validatePostResponseAsync({ SAMLResponse: job.message });
    const returned = profile?.getAssertionXml?.() ?? null;
    const same = returned !== null && returned === verification.assertion;
    return { ...seen(verification), signers, objection: same ? null : 'no assertion was returned' };
  } catch (error) {
    return { ...seen(verification), signers, objection: wordsOf(error) };
  }
}

function seen({ signed, assertion }) {
  return { signed, assertion };
}

/**
 * Verifies the signature that the root of a message carries. Out: the bytes that it signs, or null.
 *
 * @param {import('./verifier.js').SignatureJob} job
 * @returns {Promise<import('./verifier.js').SignatureVerdict>}
 */
async function verifySignature(job) {
  try {
    const signers = await signersOf(job.signatures, job.certificates);
    if (signers === null) return { signed: null };
    const document = await parseDomFromString(job.xml);
    return { signed: getVerifiedXml(job.xml, document.documentElement, signers) ?? null };
  } catch {
    // Whatever the reason: it is not verified, and that is the whole answer.
    return { signed: null };
  }
}

function wordsOf(error) {
  return (error instanceof Error ? error.message : 'unknown').slice(0, 200);
}

parentPort.on('message', (job) => {
  const work = job.kind === 'response' ? verifyResponse(job) : verifySignature(job);
  // One job at a time, so the replaced decryption belongs to this one.
  void work.then((verdict) => parentPort.postMessage({ verdict }));
});
parentPort.postMessage({ ready: true });
