/** Real Claude Code, Codex, goose and Grok against the scripted model. Minutes: about two. */
import { describePrograms } from '../real-agents/suite.ts';

describePrograms(['claude', 'codex', 'goose', 'grok'], 5);
