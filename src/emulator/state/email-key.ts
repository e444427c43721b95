/** An email address as it is compared: capitals make no difference. */
export const emailKeyOf = (email: string): string => email.trim().toLowerCase();
