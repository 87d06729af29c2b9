/** A seat, an e-mail address or a key of a tenant has become free: users that wait for one may come into force. */
export class RoomMade {
  constructor(readonly tenantId: string) {}
}
