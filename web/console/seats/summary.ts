/** Seats at one moment, as `GET /seats` answers. */
export interface SeatSummary {
  limit: number | null;
  policy: Record<'directory' | 'api' | 'sign_in', 'wait' | 'block' | 'allow'> | null;
  used: number | null;
  waiting: number | null;
  overage: number | null;
  as_of: string;
  final: boolean;
}
