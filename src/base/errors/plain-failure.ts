/** A failed start whose message explains it to the operator; the stack is not shown. */
export class PlainFailure extends Error {}
