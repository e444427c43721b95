/** Version of this package, as sent in `User-Agent`. */
export const version = '0.1.0';
