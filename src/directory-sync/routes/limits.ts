/** Limits of lists. The ServiceProviderConfig announces the same figures. */
export const LIST_LIMITS = { defaultCount: 100, maxCount: 1000 } as const;

/** Limits of `/Bulk`; `maxPayloadSize` in bytes. The ServiceProviderConfig announces the same figures. */
export const BULK_LIMITS = { maxOperations: 1000, maxPayloadSize: 4 * 1024 * 1024 } as const;
