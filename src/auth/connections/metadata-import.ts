import { Injectable } from '@nestjs/common';
import { Config } from '../../base/config/config.js';
import { InvalidFields, type FieldError } from '../../base/errors/domain-error.js';
import type { IdpSettings, StoredSamlSettings } from './connection.settings.js';
import type { ConnectionFields } from './connections.dto.js';
import { idpFromMetadata } from './metadata-refresh.rules.js';
import type { JobOwner } from '../../protocols/saml/signature-verifier.js';
import { MetadataSource } from './metadata-source.js';
import { signersAfter, idpSourceOf } from './saml-settings.rules.js';

/** Reads the metadata that a request of an administrator names. */
@Injectable()
export class MetadataImport {
  constructor(
    private readonly source: MetadataSource,
    private readonly config: Config,
  ) {}

  /**
   * Reads the metadata of a request; null when it names none.
   *
   * @param before the settings before; null: a new connection
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
    const read =
      source.kind === 'url' ? await this.source.fetch(source.url, wanted) : await this.source.read(source.xml, wanted);
    const result = 'problem' in read ? read : idpFromMetadata(read.metadata, before, now, allowance);
    if ('problem' in result) throw new InvalidFields([{ field, message: result.problem }]);
    return result.idp;
  }
}
