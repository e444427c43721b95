import { next } from '../../sallyport.js';

export const GET = next.handleSignIn();
