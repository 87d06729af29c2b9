/** A port: finds the records that a name of another system means. `lookup` implements it. */
export abstract class RecordNames {
  /**
   * Returns the ids of records that events are about.
   *
   * @param name an id of this service, an `external_id`, or the id that the ATS itself has
   * @returns the name alone, where it is an id or no record has it
   */
  abstract recordsOf(tenantId: string, name: string): Promise<readonly string[]>;
}
