import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { SamlRefused } from './saml-refused.js';
import { DIGEST_ALGORITHMS, ENVELOPED_SIGNATURE, EXCLUSIVE_C14N, SIGNATURE_ALGORITHMS } from './names.js';
import { PoolProblem, WorkerPool } from './worker-pool.js';

/** Whose message it is: each connection waits in a line of its own. */
export interface JobOwner {
  readonly tenantId: string;
  readonly id: string;
}

/** A Response to be verified; its structure was checked already. */
export interface ResponseJob {
  /** Base64, without white space. */
  readonly message: string;
  /** What the EncryptedAssertion holds; null where there is none. */
  readonly decrypted: string | null;
  /** Each signature that is there, from `signatureExcerpt`: looked at first, since forging it costs us little then. */
  readonly signatures: readonly string[];
  readonly certificates: readonly string[];
  /** Which signatures have to verify: all that are there. */
  readonly responseSigned: boolean;
  readonly assertionSigned: boolean;
  readonly idpEntityId: string;
  readonly spEntityId: string;
  readonly acsUrl: string;
  readonly skewMs: number;
  readonly maxAgeMs: number;
}

export interface ResponseVerdict {
  /** The octets under the outermost verified signature: of the Response, or of the assertion; null: none verified. */
  readonly signed: string | null;
  /** node-saml's copy of the assertion in them, to see that it found one; it is not what was hashed, letter by letter. */
  readonly assertion: string | null;
  /** The certificates (PEM) that made the signatures. */
  readonly signers: readonly string[];
  /** What node-saml has against it, whether the signature or the contents; null: nothing. */
  readonly objection: string | null;
}

export interface SignatureJob {
  readonly xml: string;
  /** As in a Response. */
  readonly signatures: readonly string[];
  readonly certificates: readonly string[];
}

export interface SignatureVerdict {
  /** The bytes that the signature of the root covers; null: it does not verify. */
  readonly signed: string | null;
}

/** How long one message may take; an honest one takes a hundredth of it (SAML-17). */
const DEADLINE_MS = 2_000;

/** Verifies signatures of SAML messages in threads of their own. */
@Injectable()
export class SamlVerifier implements OnApplicationShutdown {
  private readonly pool = new WorkerPool(new URL('./verify-worker.mjs', import.meta.url), {
    size: 2,
    deadlineMs: DEADLINE_MS,
    queue: 200,
    queuePerKey: 20,
    data: {
      signatures: [...SIGNATURE_ALGORITHMS],
      digests: [...DIGEST_ALGORITHMS],
      transforms: [ENVELOPED_SIGNATURE, EXCLUSIVE_C14N],
    },
  });

  /** @throws SamlRefused message_too_large (the deadline), too_many_tries, idp_answer_invalid */
  async response(owner: JobOwner, job: ResponseJob): Promise<ResponseVerdict> {
    return (await this.run(owner, { ...job, kind: 'response' })) as ResponseVerdict;
  }

  /** @throws SamlRefused message_too_large (the deadline), too_many_tries, idp_answer_invalid */
  async signature(owner: JobOwner, job: SignatureJob): Promise<SignatureVerdict> {
    return (await this.run(owner, { ...job, kind: 'signature' })) as SignatureVerdict;
  }

  close(): Promise<void> {
    return this.pool.close();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.close();
  }

  private async run(owner: JobOwner, job: unknown): Promise<unknown> {
    try {
      return await this.pool.run(`${owner.tenantId} ${owner.id}`, job);
    } catch (error) {
      if (!(error instanceof PoolProblem)) throw error;
      throw refusalOf(error.kind);
    }
  }
}

function refusalOf(kind: PoolProblem['kind']): SamlRefused {
  if (kind === 'deadline') {
    return new SamlRefused('message_too_large', `The message took more than ${DEADLINE_MS} ms to verify.`);
  }
  if (kind === 'busy')
    return new SamlRefused(
      'too_many_tries',
      'Too many messages wait to be verified, of this connection or altogether.',
    );
  return new SamlRefused('idp_answer_invalid', 'The message could not be verified.');
}
