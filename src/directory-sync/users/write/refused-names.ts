const MOST_DIRECTORIES = 5000;

/**
 * The directories whose last creation was refused for its `userName`. An IdP that lost its state creates users again that
 * are there, one after the other. For such a directory the name is looked up before the statement of the next creation
 * is made: a look-up costs a fourth of it. The first name that is free ends the look-ups.
 */
export class RefusedNames {
  private readonly directories = new Set<string>();

  /** Returns whether the name of the next creation is to be looked up first. */
  has(directoryId: string): boolean {
    return this.directories.has(directoryId);
  }

  /** Notes how the last creation of a directory ended. */
  note(directoryId: string, refused: boolean): void {
    this.directories.delete(directoryId);
    if (!refused) return;
    // The one that was refused the longest ago is noted anew when it is refused again.
    if (this.directories.size >= MOST_DIRECTORIES) this.directories.delete(this.directories.values().next().value!);
    this.directories.add(directoryId);
  }
}
