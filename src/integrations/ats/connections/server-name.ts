/** The server of an ATS connection `c` as SQL: connections with the same name wait for the same server. */
export const SERVER = `coalesce(substring(c.base_url from '^[a-z]+://([^/]+)'), c.provider || ' ' || c.region)`;
