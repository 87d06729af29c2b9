import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { SamlRefused } from './saml-refused.js';
import { DIGEST_ALGORITHMS, ENVELOPED_SIGNATURE, EXCLUSIVE_C14N, SIGNATURE_ALGORITHMS } from './names.js';
import { PoolProblem, WorkerPool } from './worker-pool.js';

/** The connection that a message is for; each connection has its own queue. */
export interface JobOwner {
  readonly tenantId: string;
  readonly id: string;
}

/** A signature and the document that holds it. */
interface SignedDocument {
  readonly xml: string;
  /** The signature without what it signs (`signatureExcerpt`): checked first, so that a forgery costs little. */
  readonly excerpt: string;
}

/** Signatures to verify; the structure of their documents was checked before. */
export interface SignatureJob {
  readonly signatures: readonly SignedDocument[];
  /** The pinned certificates, PEM. */
  readonly certificates: readonly string[];
}

/** The result of a job; `signed` is null when a signature does not verify. */
interface SignatureJobResult {
  /** The octets under each signature, in the order of the job. They alone are believed. */
  readonly signed: readonly string[] | null;
  /** The certificates (PEM) that made the signatures. */
  readonly signers: readonly string[];
}

/** How long one message may take; an honest one takes a hundredth of it. */
const DEADLINE_MS = 2_000;

/** Verifies signatures of SAML messages in threads of their own. */
@Injectable()
export class SamlVerifier implements OnApplicationShutdown {
  private readonly pool = new WorkerPool(new URL('./signature-worker.mjs', import.meta.url), {
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

  /**
   * Verifies signatures.
   *
   * @throws {SamlRefused} `message_too_large` after the deadline; `too_many_tries` when too many messages wait;
   *   `idp_answer_invalid` when the thread failed
   */
  async verify(owner: JobOwner, job: SignatureJob): Promise<SignatureJobResult> {
    try {
      return (await this.pool.run(`${owner.tenantId} ${owner.id}`, job)) as SignatureJobResult;
    } catch (error) {
      if (!(error instanceof PoolProblem)) throw error;
      throw refusalOf(error.kind);
    }
  }

  close(): Promise<void> {
    return this.pool.close();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.close();
  }
}

function refusalOf(kind: PoolProblem['kind']): SamlRefused {
  if (kind === 'deadline') {
    return new SamlRefused('message_too_large', `The message took more than ${DEADLINE_MS} ms to verify.`);
  }
  if (kind === 'busy') {
    return new SamlRefused('too_many_tries', 'Too many messages wait to be verified.');
  }
  return new SamlRefused('idp_answer_invalid', 'The message could not be verified.');
}
