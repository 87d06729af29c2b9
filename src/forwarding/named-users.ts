/** A port: what this room asks about the users of a tenant. The room that keeps the users implements it. */
export abstract class NamedUsers {
  /**
   * Returns the query for the `id` of each active user that has an external id or an e-mail; the arguments are SQL
   * expressions.
   *
   * @param email the e-mail in lower case
   */
  abstract namedQuery(tenantId: string, externalId: string, email: string): string;

  /** Returns the ids of the active users with these external ids, by them. */
  abstract byExternalId(tenantId: string, externalIds: readonly string[]): Promise<Map<string, string>>;
}
