import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { Config } from '../../base/config/config.js';
import { InvalidFields, type FieldError } from '../../base/errors/domain-error.js';
import { Outbound, type OutboundFailure } from '../../base/http/outbound.js';
import { demandSignedMetadata } from '../../protocols/saml/metadata-signature.js';
import { MetadataProblem, readIdpMetadata, type IdpMetadata } from '../../protocols/saml/metadata.rules.js';
import { SamlVerifier, type JobOwner } from '../../protocols/saml/signature-verifier.js';
import type { IdpSettings, StoredSamlSettings } from './connection.js';
import type { ConnectionFields } from './dto.js';
import { idpFromMetadata } from './metadata.rules.js';
import { signersAfter, idpSourceOf } from './saml.rules.js';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1024 * 1024;
const FAILURES: Record<OutboundFailure, string> = {
  timeout: 'did not answer within 10 seconds',
  refused: 'does not take connections',
  reset: 'ended the connection',
  dns: 'has a name that is not known',
  tls: 'has no certificate that is trusted',
  blocked: 'is not a public address',
};

/** `xml` is set when the text itself cannot be used. */
type MetadataRead = { metadata: IdpMetadata } | { problem: string; xml?: string };

interface MetadataWanted {
  /** The entity id of the IdP; null when the document has to describe one alone. */
  entityId: string | null;
  /** Certificates in PEM, one of which has to have signed it; empty: unsigned metadata is accepted. */
  signers: readonly string[];
  /** The connection, for the queue of the verifier. */
  owner: JobOwner;
}

@Injectable()
export class MetadataSource {
  constructor(
    private readonly outbound: Outbound,
    private readonly verifier: SamlVerifier,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** Redirects are not followed. */
  async fetch(address: string, wanted: MetadataWanted): Promise<MetadataRead> {
    const url = new URL(address);
    const answer = await this.outbound.call(
      {
        method: 'GET',
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        owner: wanted.owner.tenantId,
        headers: { accept: 'application/samlmetadata+xml, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.1' },
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_BYTES,
      },
      this.config.allowPrivateDestinations,
    );
    if (answer.kind === 'failed') return { problem: `the address ${FAILURES[answer.reason]} (${answer.detail})` };
    if (answer.status !== 200) {
      const moved = answer.status >= 300 && answer.status < 400 ? '; redirects are not followed' : '';
      return { problem: `the address answered ${answer.status}${moved}` };
    }
    if (answer.truncated) return { problem: 'the metadata is longer than 1 MiB' };
    return this.read(answer.body, wanted);
  }

  async read(xml: string, { entityId, signers, owner }: MetadataWanted): Promise<MetadataRead> {
    try {
      const now = this.clock.now();
      const believed = signers.length === 0 ? xml : await demandSignedMetadata(xml, signers, owner, this.verifier);
      return { metadata: readIdpMetadata(believed, entityId === null ? { now } : { now, entityId }) };
    } catch (error) {
      if (error instanceof MetadataProblem) return { problem: error.message, xml };
      throw error;
    }
  }

  /**
   * Reads the metadata of a request; null when the request names none.
   *
   * @throws {InvalidFields} when the request names several sources, or one that cannot be used
   */
  async named(
    owner: JobOwner,
    before: StoredSamlSettings | null,
    input: ConnectionFields,
    now: Date,
  ): Promise<IdpSettings | null> {
    const errors: FieldError[] = [];
    const allowance = { allowPrivate: this.config.allowPrivateDestinations };
    const source = idpSourceOf(before, input, allowance, errors);
    const signers = signersAfter(before, input, now, errors).map(({ pem }) => pem);
    if (errors.length > 0) throw new InvalidFields(errors);
    if (source.kind === 'fields') return null;
    const field = source.kind === 'url' ? 'metadata_url' : 'metadata_xml';
    // The entity id beside the metadata chooses one of several IdPs.
    const wanted = { entityId: input.idp_entity_id ?? null, signers, owner };
    const read = source.kind === 'url' ? await this.fetch(source.url, wanted) : await this.read(source.xml, wanted);
    const result = 'problem' in read ? read : idpFromMetadata(read.metadata, before, now, allowance);
    if ('problem' in result) throw new InvalidFields([{ field, message: result.problem }]);
    return result.idp;
  }
}
