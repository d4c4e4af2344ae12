@rem npm scripts begin with exec, which lets signals reach the program; Windows has neither, and just runs it.
@%*
