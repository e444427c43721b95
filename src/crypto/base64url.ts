/**
 * Whether a text is the one spelling that its bytes have in base64url: no padding, no other letters, and nothing in the
 * bits that the last letter has to spare. Of a signature, any other spelling would be a second text with the same meaning.
 */
export const isCanonicalBase64Url = (text: string): boolean =>
  /^(?:[\w-]{4})*(?:[\w-][AQgw]|[\w-]{2}[AEIMQUYcgkosw048])?$/.test(text);
