/** Real Gemini CLI, opencode, Qwen Code, Copilot and pi against the scripted model: slower to start and to stop. */
import { describePrograms } from '../real-agents/suite.ts';

describePrograms(['gemini', 'opencode', 'qwen', 'copilot', 'pi'], 3);
