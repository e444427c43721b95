/**
 * The request header of a page that asks its server for the access token: `current` or `new`. A form cannot send it, and the
 * script of another site only if the server allows that.
 */
export const accessTokenHeader = 'x-sallyport-access-token';
