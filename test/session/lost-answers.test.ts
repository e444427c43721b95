import { losesAnswer, losesRequest, lostAnswers, survives } from './lost-answer.js';

losesAnswer('the connection broke');
losesRequest('the connection was refused');
for (const [name, failure] of Object.entries(lostAnswers)) survives(name, failure);
