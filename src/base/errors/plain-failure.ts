/** A failure of the start that its message explains to whoever sits at the terminal; its stack would only be in the way. */
export class PlainFailure extends Error {}
