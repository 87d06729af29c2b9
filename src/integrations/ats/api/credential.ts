/** What a connection authenticates with. It is sealed in the database, and no answer, log or error contains it. */
export type Credential =
  | { kind: 'api_key'; key: string }
  | {
      kind: 'oauth';
      accessToken: string;
      /** When the access token ends. */
      expiresAt: string;
      refreshToken: string | null;
      /** When the refresh token was last used. */
      refreshedAt: string;
    }
  | {
      kind: 'client_credentials';
      clientId: string;
      clientSecret: string;
      /** The user of the ATS as whom the client acts; null: none. */
      sub: string | null;
      accessToken: string | null;
      expiresAt: string | null;
    };
