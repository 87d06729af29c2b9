/** What this server takes and gives, announced in its ServiceProviderConfig and enforced from here. */
export const LIST_LIMITS = { defaultCount: 100, maxCount: 1000 } as const;
export const BULK_LIMITS = { maxOperations: 1000, maxPayloadSize: 4 * 1024 * 1024 } as const;
