python3 -m verl.trainer.main_eval data.path=/data/answers.parquet data.prompt_key=prompt custom_reward_function.path=score.py
