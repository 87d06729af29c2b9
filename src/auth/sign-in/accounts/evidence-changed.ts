/** What a decision rests on has changed before the decision was written: it has to be made again. */
export class EvidenceChanged extends Error {
  constructor() {
    super('the evidence of the sign-in has changed');
    this.name = 'EvidenceChanged';
  }
}
