// Tests start it by its path.
import "./fixtures.js";
