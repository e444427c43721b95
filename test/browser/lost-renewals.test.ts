import { lostAnswers } from '../session/lost-answer.js';
import { pageLosesAnswer, pageLosesRequest } from './lost-renewal.js';

pageLosesAnswer('renewal', 'the connection broke', lostAnswers['the connection broke']!);
pageLosesRequest('renewal', 'a refused connection', 'refused');
