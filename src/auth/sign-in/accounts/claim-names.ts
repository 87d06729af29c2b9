const SOAP = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/';
const MICROSOFT = 'http://schemas.microsoft.com/identity/claims/';
const MACE = 'urn:mace:dir:attribute-def:';
const WS = 'http://schemas.microsoft.com/ws/2008/06/identity/claims/';

/** A sign-in name at Entra and ADFS; elsewhere (Auth0) the display name. */
export const WS_NAME = `${SOAP}name`;

/**
 * The usual names of SAML attributes, in the order in which they are tried: plain names (Okta, Google, OneLogin; with
 * capitals Duo, JumpCloud and Keycloak), WS-Federation names (Entra, ADFS), LDAP object ids (Shibboleth, SimpleSAMLphp)
 * and their former names (MACE).
 */
export const SAML_NAMES = {
  email: [
    'email',
    'mail',
    'emailAddress',
    'emailaddress',
    `${SOAP}emailaddress`,
    'urn:oid:0.9.2342.19200300.100.1.3',
    'urn:oid:1.2.840.113549.1.9.1',
    'User.email',
    'Email',
    'EmailAddress',
    'http://schemas.xmlsoap.org/claims/EmailAddress',
    `${MACE}mail`,
  ],
  userName: [
    'userName',
    'username',
    'login',
    `${SOAP}upn`,
    WS_NAME,
    'urn:oid:1.3.6.1.4.1.5923.1.1.1.6',
    'UserName',
    'Username',
    `${MACE}eduPersonPrincipalName`,
  ],
  firstName: [
    'firstName',
    'first_name',
    'givenName',
    'given_name',
    `${SOAP}givenname`,
    'urn:oid:2.5.4.42',
    'User.FirstName',
    'FirstName',
    'firstname',
    `${MACE}givenName`,
  ],
  lastName: [
    'lastName',
    'last_name',
    'surname',
    'sn',
    'family_name',
    `${SOAP}surname`,
    'urn:oid:2.5.4.4',
    'User.LastName',
    'LastName',
    'lastname',
    `${MACE}sn`,
  ],
  displayName: [
    'displayName',
    'name',
    `${MICROSOFT}displayname`,
    'urn:oid:2.16.840.1.113730.3.1.241',
    'cn',
    `${MACE}displayName`,
  ],
  roles: [
    'roles',
    'role',
    `${WS}role`,
    'groups',
    'memberOf',
    'Role',
    `${WS}groups`,
    'http://schemas.xmlsoap.org/claims/Group',
  ],
  link: [`${MICROSOFT}objectidentifier`],
};
/** The claims of OpenID Connect (Core §5.1), and Entra's `upn`. */
export const OIDC_NAMES = {
  email: ['email'],
  userName: ['preferred_username', 'upn'],
  firstName: ['given_name'],
  lastName: ['family_name'],
  displayName: ['name'],
  roles: ['roles', 'groups'],
};

/** The attributes by which Entra marks in SAML that a user has more groups than it sends (over 150). */
export const GROUPS_LINKS = ['http://schemas.microsoft.com/claims/groups.link', `${WS}groups.link`];
/** The attributes of application roles, which Entra always sends whole. */
export const APP_ROLE_NAMES: ReadonlySet<string> = new Set(['roles', 'role', 'Role', `${WS}role`]);
